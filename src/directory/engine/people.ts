import { findLicenseType } from '../../../contract/rules/people/licenses.ts';
import { growArray } from './grow-array.ts';
import type { DirectoryRow } from './row.ts';

const BLOCK_BITS = 8;
const BLOCK_SIZE = 2 ** BLOCK_BITS;

/**
 * A text per slot, 256 joined into one string: searching long strings is faster than a million short ones and takes a
 * fraction of the memory.
 */
class TextColumn {
  /** Each text is enclosed in newlines, so that whole texts can be searched too. */
  readonly #blocks: string[] = [];
  /** Start of each slot's text within its block. */
  #starts = new Int32Array(0);
  /** Blocks with pending writes, as separate texts. */
  readonly #pending = new Map<number, string[]>();

  get(slot: number): string {
    const open = this.#pending.get(slot >> BLOCK_BITS);
    if (open) return open[slot % BLOCK_SIZE] ?? '';
    const block = this.#blocks[slot >> BLOCK_BITS] ?? '';
    const isLast = slot % BLOCK_SIZE === BLOCK_SIZE - 1;
    return block.slice(this.#starts[slot], isLast ? -1 : (this.#starts[slot + 1] ?? 0) - 1);
  }

  set(slot: number, text: string): void {
    const at = slot >> BLOCK_BITS;
    let open = this.#pending.get(at);
    if (!open) {
      const first = at * BLOCK_SIZE;
      open = Array.from({ length: BLOCK_SIZE }, (_, offset) =>
        at < this.#blocks.length ? this.get(first + offset) : '',
      );
      this.#pending.set(at, open);
    }
    open[slot % BLOCK_SIZE] = text;
  }

  /** Marks each slot whose text contains `part`. */
  mark(part: string, marks: Uint8Array): void {
    this.#find(part, 0, marks);
  }

  /** Marks each slot whose text equals `text`. */
  markWhole(text: string, marks: Uint8Array): void {
    this.#find(`\n${text}\n`, 1, marks);
  }

  #find(pattern: string, lead: number, marks: Uint8Array): void {
    this.pack();
    const starts = this.#starts;
    for (let at = 0; at < this.#blocks.length; at += 1) {
      const block = this.#blocks[at] ?? '';
      const last = (at + 1) * BLOCK_SIZE - 1;
      let slot = at * BLOCK_SIZE;
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

  /** Joins pending writes into their blocks, which saves memory. */
  pack(): void {
    if (this.#pending.size === 0) return;
    const highest = Math.max(...this.#pending.keys());
    this.#starts = growArray(this.#starts, (highest + 1) * BLOCK_SIZE);
    for (let at = this.#blocks.length; at <= highest; at += 1) this.#blocks[at] = '';
    for (const [at, texts] of this.#pending) {
      let start = 1;
      for (const [offset, text] of texts.entries()) {
        this.#starts[at * BLOCK_SIZE + offset] = start;
        start += text.length + 1;
      }
      this.#blocks[at] = `\n${texts.join('\n')}\n`;
    }
    this.#pending.clear();
  }
}

/** Groups of each slot, as small group numbers in one array. */
class Memberships {
  /** Group numbers; those of one slot are adjacent. */
  #pool = new Int32Array(0);
  #usedLength = 0;
  #starts = new Int32Array(0);
  #lengths = new Int32Array(0);
  readonly #numbers = new Map<number, number>();
  readonly #ids: number[] = [];

  /** Ids of all groups that occur; the index is the group number. */
  get ids(): readonly number[] {
    return this.#ids;
  }

  getCount(slot: number): number {
    return this.#lengths[slot] ?? 0;
  }

  set(slot: number, groups: readonly number[]): void {
    this.#starts = growArray(this.#starts, slot + 1);
    this.#lengths = growArray(this.#lengths, slot + 1);
    if (groups.length > (this.#lengths[slot] ?? 0)) {
      this.#starts[slot] = this.#usedLength;
      this.#usedLength += groups.length;
      this.#pool = growArray(this.#pool, this.#usedLength);
    }
    this.#lengths[slot] = groups.length;
    const start = this.#starts[slot] ?? 0;
    for (const [at, id] of groups.entries()) this.#pool[start + at] = this.#getGroupNumber(id);
  }

  get(slot: number): number[] {
    const start = this.#starts[slot] ?? 0;
    const numbers = this.#pool.subarray(start, start + this.getCount(slot));
    return Array.from(numbers, (number) => this.#ids[number] ?? 0);
  }

  /** Whether any group of the slot is marked in `wanted`, which is indexed by group number. */
  isInAny(slot: number, wanted: Uint8Array): boolean {
    const start = this.#starts[slot] ?? 0;
    const end = start + (this.#lengths[slot] ?? 0);
    for (let at = start; at < end; at += 1) if (wanted[this.#pool[at] ?? 0] === 1) return true;
    return false;
  }

  /** Increments the count of each group of the slot; `counts` is indexed by group number. */
  tally(slot: number, counts: Int32Array): void {
    const start = this.#starts[slot] ?? 0;
    const end = start + (this.#lengths[slot] ?? 0);
    for (let at = start; at < end; at += 1) {
      const number = this.#pool[at] ?? 0;
      counts[number] = (counts[number] ?? 0) + 1;
    }
  }

  #getGroupNumber(id: number): number {
    const number = this.#numbers.get(id);
    if (number !== undefined) return number;
    this.#numbers.set(id, this.#ids.length);
    return this.#ids.push(id) - 1;
  }
}

/** A text of few different ones in each slot, or null: two bytes a slot. */
class RepeatedTextColumn {
  #numbers = new Uint16Array(0);
  /** The index is the number; 0 is no text. */
  readonly #texts: (string | null)[] = [null];
  readonly #numberByText = new Map<string | null, number>([[null, 0]]);

  get(slot: number): string | null {
    return this.#texts[this.#numbers[slot] ?? 0] ?? null;
  }

  set(slot: number, text: string | null): void {
    let number = this.#numberByText.get(text);
    if (number === undefined) {
      number = this.#texts.push(text) - 1;
      this.#numberByText.set(text, number);
    }
    this.#numbers = growArray(this.#numbers, slot + 1);
    this.#numbers[slot] = number;
  }
}

/** Timestamps as numbers; a text in a non-canonical form is stored in addition. */
class TimestampColumn {
  #times = new Float64Array(0);
  readonly #texts = new Map<number, string>();

  /** Milliseconds since the epoch, by slot. */
  get times(): Float64Array {
    return this.#times;
  }

  get(slot: number): string {
    return this.#texts.get(slot) ?? new Date(this.#times[slot] ?? 0).toISOString();
  }

  set(slot: number, text: string): void {
    this.#times = growArray(this.#times, slot + 1);
    const time = Date.parse(text);
    this.#times[slot] = Number.isNaN(time) ? 0 : time;
    if (!Number.isNaN(time) && isCanonicalIso(text)) this.#texts.delete(slot);
    else this.#texts.set(slot, text);
  }
}

/** Whether a text has the form of `toISOString`. Formatting and comparing a million texts would take seconds. */
const isCanonicalIso = (text: string): boolean => text.length === 24 && text[10] === 'T' && text[23] === 'Z';

export const ACTIVE = 1;
export const LOCKED = 2;
export const TWO_FACTOR = 4;
export const ADDRESSES = 8;
const LICENSE_SHIFT = 4;
const LICENSE_MASK = 0b111;
/** Set for a slot in use. */
const PRESENT = 128;

export const getLicense = (traits: number): number => (traits >> LICENSE_SHIFT) & LICENSE_MASK;

const packTraits = (row: DirectoryRow): number =>
  PRESENT |
  (row.isActive ? ACTIVE : 0) |
  (row.isLocked ? LOCKED : 0) |
  (row.twoFactor ? TWO_FACTOR : 0) |
  (row.approvedAddresses ? ADDRESSES : 0) |
  (((row.licenseTypeId ?? 0) & LICENSE_MASK) << LICENSE_SHIFT);

/** All users in columns with a slot each: a million objects would not fit into memory. */
export class People {
  readonly #slots = new Map<number, number>();
  readonly #free: number[] = [];
  /** Number of slots that are or were in use. */
  slotCount = 0;
  ids = new Int32Array(0);
  /** Status, license and protection of each user in one byte. */
  traits = new Uint8Array(0);
  readonly firstName = new TextColumn();
  readonly lastName = new TextColumn();
  readonly email = new TextColumn();
  readonly foldedName = new TextColumn();
  readonly foldedEmail = new TextColumn();
  readonly created = new TimestampColumn();
  readonly modified = new TimestampColumn();
  readonly groups = new Memberships();
  readonly timeZone = new RepeatedTextColumn();

  get size(): number {
    return this.#slots.size;
  }

  getSlot(id: number): number | undefined {
    return this.#slots.get(id);
  }

  isPresent(slot: number): boolean {
    return (this.traits[slot] ?? 0) >= PRESENT;
  }

  /** Returns the slots of all users, or of those `isWanted` accepts, in ascending order. */
  slots(isWanted: (slot: number) => boolean = () => true): Int32Array<ArrayBuffer> {
    const slots = new Int32Array(this.size);
    let count = 0;
    for (let slot = 0; slot < this.slotCount; slot += 1)
      if (this.isPresent(slot) && isWanted(slot)) slots[count++] = slot;
    return slots.slice(0, count);
  }

  /** Adds or replaces a user; returns the slot. */
  put(row: DirectoryRow): number {
    const slot = this.#slots.get(row.id) ?? this.#free.pop() ?? this.slotCount++;
    this.#slots.set(row.id, slot);
    this.ids = growArray(this.ids, slot + 1);
    this.traits = growArray(this.traits, slot + 1);
    this.ids[slot] = row.id;
    this.traits[slot] = packTraits(row);
    this.firstName.set(slot, row.firstName);
    this.lastName.set(slot, row.lastName);
    this.email.set(slot, row.email);
    this.foldedName.set(slot, row.foldedName);
    this.foldedEmail.set(slot, row.foldedEmail);
    this.created.set(slot, row.created);
    this.modified.set(slot, row.modified);
    this.groups.set(slot, row.groups);
    this.timeZone.set(slot, row.timeZone);
    return slot;
  }

  /** Removes a user; returns the freed slot. */
  remove(id: number): number | undefined {
    const slot = this.#slots.get(id);
    if (slot === undefined) return undefined;
    this.#slots.delete(id);
    this.#free.push(slot);
    this.traits[slot] = 0;
    // Free slots are searched as well, so their texts must be empty.
    this.foldedName.set(slot, '');
    this.foldedEmail.set(slot, '');
    return slot;
  }

  pack(): void {
    for (const column of [this.firstName, this.lastName, this.email, this.foldedName, this.foldedEmail])
      column.pack();
  }

  getName(slot: number): string {
    return `${this.firstName.get(slot)} ${this.lastName.get(slot)}`;
  }

  getRow(slot: number): DirectoryRow {
    const traits = this.traits[slot] ?? 0;
    return {
      id: this.ids[slot] ?? 0,
      firstName: this.firstName.get(slot),
      lastName: this.lastName.get(slot),
      name: this.getName(slot),
      email: this.email.get(slot),
      isActive: (traits & ACTIVE) > 0,
      isLocked: (traits & LOCKED) > 0,
      groups: this.groups.get(slot),
      twoFactor: (traits & TWO_FACTOR) > 0,
      approvedAddresses: (traits & ADDRESSES) > 0,
      timeZone: this.timeZone.get(slot),
      created: this.created.get(slot),
      modified: this.modified.get(slot),
      licenseTypeId: getLicense(traits) || undefined,
      modifiedAt: this.modified.times[slot] ?? 0,
      foldedName: this.foldedName.get(slot),
      foldedEmail: this.foldedEmail.get(slot),
    };
  }

  /** Counts the billable licenses (spec 2.2). */
  countBillable(): number {
    const isBillable = Array.from(
      { length: 256 },
      (_, traits) => findLicenseType(getLicense(traits))?.isBillable,
    );
    let count = 0;
    for (let slot = 0; slot < this.slotCount; slot += 1) if (isBillable[this.traits[slot] ?? 0]) count += 1;
    return count;
  }
}
