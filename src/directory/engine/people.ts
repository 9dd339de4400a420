import { licenseType } from '../../../contract/rules/licenses.ts';
import type { DirectoryRow } from '../row.ts';
import { grown } from './grown.ts';

const BITS = 8;
const BLOCK = 2 ** BITS;

/**
 * One text for each slot, 256 of them joined into one string: a search runs through long strings instead of a
 * million short ones, which would also take several times the memory.
 */
class TextColumn {
  /** Each text stands between two line ends, so that a whole text can be searched for as well. */
  readonly #blocks: string[] = [];
  /** Where the text of a slot begins in its block. */
  #starts = new Int32Array(0);
  /** Blocks that are being written. */
  readonly #open = new Map<number, string[]>();

  get(slot: number): string {
    const open = this.#open.get(slot >> BITS);
    if (open) return open[slot % BLOCK] ?? '';
    const block = this.#blocks[slot >> BITS] ?? '';
    const isLast = slot % BLOCK === BLOCK - 1;
    return block.slice(this.#starts[slot], isLast ? -1 : (this.#starts[slot + 1] ?? 0) - 1);
  }

  set(slot: number, text: string): void {
    const at = slot >> BITS;
    let open = this.#open.get(at);
    if (!open) {
      const first = at * BLOCK;
      open = Array.from({ length: BLOCK }, (_, offset) =>
        at < this.#blocks.length ? this.get(first + offset) : '',
      );
      this.#open.set(at, open);
    }
    open[slot % BLOCK] = text;
  }

  /** Sets a mark at each slot whose text contains `part`. */
  mark(part: string, marks: Uint8Array): void {
    this.#find(part, 0, marks);
  }

  /** Sets a mark at each slot whose text is `text`. */
  markWhole(text: string, marks: Uint8Array): void {
    this.#find(`\n${text}\n`, 1, marks);
  }

  #find(pattern: string, lead: number, marks: Uint8Array): void {
    this.pack();
    const starts = this.#starts;
    for (let at = 0; at < this.#blocks.length; at += 1) {
      const block = this.#blocks[at] ?? '';
      const last = (at + 1) * BLOCK - 1;
      let slot = at * BLOCK;
      let hit = block.indexOf(pattern);
      while (hit >= 0) {
        while (slot < last && (starts[slot + 1] ?? 0) <= hit + lead) slot += 1;
        marks[slot] = 1;
        if (slot === last) break;
        slot += 1;
        hit = block.indexOf(pattern, (starts[slot] ?? 0) - 1);
      }
    }
  }

  /** Joins what was written since, which takes less room. */
  pack(): void {
    if (this.#open.size === 0) return;
    const highest = Math.max(...this.#open.keys());
    this.#starts = grown(this.#starts, (highest + 1) * BLOCK);
    for (let at = this.#blocks.length; at <= highest; at += 1) this.#blocks[at] = '';
    for (const [at, texts] of this.#open) {
      let start = 1;
      for (const [offset, text] of texts.entries()) {
        this.#starts[at * BLOCK + offset] = start;
        start += text.length + 1;
      }
      this.#blocks[at] = `\n${texts.join('\n')}\n`;
    }
    this.#open.clear();
  }
}

/** Which groups the person in each slot is in: small numbers for groups, all in one array. */
class Memberships {
  /** Group numbers; those of one slot stand together. */
  #pool = new Int32Array(0);
  #used = 0;
  #starts = new Int32Array(0);
  #lengths = new Int32Array(0);
  readonly #numbers = new Map<number, number>();
  readonly #ids: number[] = [];

  /** The ids of all groups that occur; their places are the groups' numbers. */
  get ids(): readonly number[] {
    return this.#ids;
  }

  countAt(slot: number): number {
    return this.#lengths[slot] ?? 0;
  }

  set(slot: number, groups: readonly number[]): void {
    this.#starts = grown(this.#starts, slot + 1);
    this.#lengths = grown(this.#lengths, slot + 1);
    if (groups.length > (this.#lengths[slot] ?? 0)) {
      this.#starts[slot] = this.#used;
      this.#used += groups.length;
      this.#pool = grown(this.#pool, this.#used);
    }
    this.#lengths[slot] = groups.length;
    const start = this.#starts[slot] ?? 0;
    for (const [at, id] of groups.entries()) this.#pool[start + at] = this.#numberOf(id);
  }

  get(slot: number): number[] {
    const start = this.#starts[slot] ?? 0;
    const numbers = this.#pool.subarray(start, start + this.countAt(slot));
    return Array.from(numbers, (number) => this.#ids[number] ?? 0);
  }

  /** Whether one of the slot's groups is marked in `wanted`, by number. */
  isInAny(slot: number, wanted: Uint8Array): boolean {
    const start = this.#starts[slot] ?? 0;
    const end = start + (this.#lengths[slot] ?? 0);
    for (let at = start; at < end; at += 1) if (wanted[this.#pool[at] ?? 0] === 1) return true;
    return false;
  }

  /** Adds one for each of the slot's groups, by number. */
  tally(slot: number, counts: Int32Array): void {
    const start = this.#starts[slot] ?? 0;
    const end = start + (this.#lengths[slot] ?? 0);
    for (let at = start; at < end; at += 1) {
      const number = this.#pool[at] ?? 0;
      counts[number] = (counts[number] ?? 0) + 1;
    }
  }

  #numberOf(id: number): number {
    const known = this.#numbers.get(id);
    if (known !== undefined) return known;
    this.#numbers.set(id, this.#ids.length);
    return this.#ids.push(id) - 1;
  }
}

/** Moments as numbers; the text of one that is written in another way than ours is kept beside it. */
class Moments {
  #times = new Float64Array(0);
  readonly #texts = new Map<number, string>();

  /** In milliseconds, by slot. */
  get times(): Float64Array {
    return this.#times;
  }

  get(slot: number): string {
    return this.#texts.get(slot) ?? new Date(this.#times[slot] ?? 0).toISOString();
  }

  set(slot: number, text: string): void {
    this.#times = grown(this.#times, slot + 1);
    const time = Date.parse(text);
    this.#times[slot] = Number.isNaN(time) ? 0 : time;
    if (!Number.isNaN(time) && isOurs(text)) this.#texts.delete(slot);
    else this.#texts.set(slot, text);
  }
}

/** Written as `toISOString` does; to write and compare a million would take seconds. */
const isOurs = (text: string): boolean => text.length === 24 && text[10] === 'T' && text[23] === 'Z';

export const ACTIVE = 1;
export const LOCKED = 2;
export const TWO_FACTOR = 4;
export const ADDRESSES = 8;
const LICENSE_SHIFT = 4;
const LICENSE = 0b111;
/** Of a slot that holds somebody. */
const PRESENT = 128;

export const licenseOf = (traits: number): number => (traits >> LICENSE_SHIFT) & LICENSE;

const traitsOf = (row: DirectoryRow): number =>
  PRESENT |
  (row.isActive ? ACTIVE : 0) |
  (row.isLocked ? LOCKED : 0) |
  (row.twoFactor ? TWO_FACTOR : 0) |
  (row.approvedAddresses ? ADDRESSES : 0) |
  (((row.licenseTypeId ?? 0) & LICENSE) << LICENSE_SHIFT);

/** Everybody in columns, a slot for each: an object for each of a million people would not fit. */
export class People {
  readonly #slots = new Map<number, number>();
  readonly #free: number[] = [];
  /** Slots below this are in use, or were. */
  top = 0;
  ids = new Int32Array(0);
  /** Status, license and protection of each in one byte. */
  traits = new Uint8Array(0);
  readonly firstName = new TextColumn();
  readonly lastName = new TextColumn();
  readonly email = new TextColumn();
  readonly foldedName = new TextColumn();
  readonly foldedEmail = new TextColumn();
  readonly created = new Moments();
  readonly modified = new Moments();
  readonly groups = new Memberships();

  get size(): number {
    return this.#slots.size;
  }

  slotOf(id: number): number | undefined {
    return this.#slots.get(id);
  }

  isPresent(slot: number): boolean {
    return (this.traits[slot] ?? 0) >= PRESENT;
  }

  /** Of everybody, or of those whom `isWanted` takes; ascending. */
  slots(isWanted: (slot: number) => boolean = () => true): Int32Array<ArrayBuffer> {
    const slots = new Int32Array(this.size);
    let count = 0;
    for (let slot = 0; slot < this.top; slot += 1)
      if (this.isPresent(slot) && isWanted(slot)) slots[count++] = slot;
    return slots.slice(0, count);
  }

  /** Takes somebody in or replaces what is known; returns the slot. */
  put(row: DirectoryRow): number {
    const slot = this.#slots.get(row.id) ?? this.#free.pop() ?? this.top++;
    this.#slots.set(row.id, slot);
    this.ids = grown(this.ids, slot + 1);
    this.traits = grown(this.traits, slot + 1);
    this.ids[slot] = row.id;
    this.traits[slot] = traitsOf(row);
    this.firstName.set(slot, row.firstName);
    this.lastName.set(slot, row.lastName);
    this.email.set(slot, row.email);
    this.foldedName.set(slot, row.foldedName);
    this.foldedEmail.set(slot, row.foldedEmail);
    this.created.set(slot, row.created);
    this.modified.set(slot, row.modified);
    this.groups.set(slot, row.groups);
    return slot;
  }

  /** Takes somebody out; returns the slot that is free now. */
  drop(id: number): number | undefined {
    const slot = this.#slots.get(id);
    if (slot === undefined) return undefined;
    this.#slots.delete(id);
    this.#free.push(slot);
    this.traits[slot] = 0;
    // Searched like any other slot, so nothing may be found in it.
    this.foldedName.set(slot, '');
    this.foldedEmail.set(slot, '');
    return slot;
  }

  pack(): void {
    for (const column of [this.firstName, this.lastName, this.email, this.foldedName, this.foldedEmail])
      column.pack();
  }

  name(slot: number): string {
    return `${this.firstName.get(slot)} ${this.lastName.get(slot)}`;
  }

  row(slot: number): DirectoryRow {
    const traits = this.traits[slot] ?? 0;
    return {
      id: this.ids[slot] ?? 0,
      firstName: this.firstName.get(slot),
      lastName: this.lastName.get(slot),
      name: this.name(slot),
      email: this.email.get(slot),
      isActive: (traits & ACTIVE) > 0,
      isLocked: (traits & LOCKED) > 0,
      groups: this.groups.get(slot),
      twoFactor: (traits & TWO_FACTOR) > 0,
      approvedAddresses: (traits & ADDRESSES) > 0,
      created: this.created.get(slot),
      modified: this.modified.get(slot),
      licenseTypeId: licenseOf(traits) || undefined,
      modifiedAt: this.modified.times[slot] ?? 0,
      foldedName: this.foldedName.get(slot),
      foldedEmail: this.foldedEmail.get(slot),
    };
  }

  /** How many licenses are billed (spec 2.2). */
  billable(): number {
    const isBillable = Array.from({ length: 256 }, (_, traits) => licenseType(licenseOf(traits))?.isBillable);
    let count = 0;
    for (let slot = 0; slot < this.top; slot += 1) if (isBillable[this.traits[slot] ?? 0]) count += 1;
    return count;
  }
}
