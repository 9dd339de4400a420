import { licenseType } from '../../../contract/rules/licenses.ts';
import type { DirectoryRow } from '../row.ts';
import { grown } from './grown.ts';
import { Memberships } from './memberships.ts';
import { Moments } from './moments.ts';
import { TextColumn } from './text-column.ts';

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
