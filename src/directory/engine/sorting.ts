import { splitEmailWords, splitNameWords } from './collation.ts';
import { ACTIVE, ADDRESSES, getLicense, LOCKED, TWO_FACTOR } from './people.ts';
import type { People } from './people.ts';
import type { DirectorySort, SortKey } from './search.ts';
import { TextOrder } from './text-order.ts';

/** Maximum cached orders of all users, so that sorting by a previous column is free. */
const MAX_CACHED_ORDERS = 4;
/** Below this share of all users, sorting the subset is cheaper than filtering the order of all. */
const MAX_SUBSET_SORT_SHARE = 1 / 8;
/** Maximum range of values relative to their number; sparser values are renumbered for the counting sort. */
const MAX_VALUE_SPREAD = 4;
const UNKNOWN_LICENSE_RANK = 9;

/** Readers of the sort value of a slot for columns other than texts. */
const VALUE_READERS: Record<
  Exclude<SortKey, 'name' | 'email'>,
  (people: People) => (slot: number) => number
> = {
  status:
    ({ traits }) =>
    (slot) =>
      (hasTrait(traits, slot, ACTIVE) ? 0 : 2) + (hasTrait(traits, slot, LOCKED) ? 1 : 0),
  license:
    ({ traits }) =>
    (slot) =>
      getLicense(traits[slot] ?? 0) || UNKNOWN_LICENSE_RANK,
  groups:
    ({ groups }) =>
    (slot) =>
      groups.getCount(slot),
  access:
    ({ traits }) =>
    (slot) =>
      (hasTrait(traits, slot, TWO_FACTOR) ? 2 : 0) + (hasTrait(traits, slot, ADDRESSES) ? 1 : 0),
  modified: ({ modified }) => createReader(modified.times),
  created: ({ created }) => createReader(created.times),
  id: ({ ids }) => createReader(ids),
};

/** Sorts by any column; equal values are sorted by name, then by id, in both directions. */
export class Sorting {
  readonly #people: People;
  readonly #names: TextOrder;
  /** Created on the first sort by e-mail. */
  #emails: TextOrder | undefined;
  readonly #orders = new Map<string, Int32Array<ArrayBuffer>>();

  constructor(people: People) {
    this.#people = people;
    this.#names = new TextOrder(people, (slot) => splitNameWords(people.getName(slot)));
  }

  /** Must be called for each slot that was added, changed or freed. */
  invalidateSlot(slot: number, hasNewTexts: boolean): void {
    this.#orders.clear();
    if (!hasNewTexts) return;
    this.#names.invalidateSlot(slot);
    this.#emails?.invalidateSlot(slot);
  }

  sort(slots: Int32Array<ArrayBuffer>, sort: DirectorySort): Int32Array<ArrayBuffer> {
    if (slots.length < this.#people.size * MAX_SUBSET_SORT_SHARE)
      return this.#sortByValue(this.#sortByName(slots), sort);
    const order = this.#getFullOrder(sort);
    if (slots.length === order.length) return order;
    const marks = new Uint8Array(this.#people.slotCount);
    for (const slot of slots) marks[slot] = 1;
    return order.filter((slot) => marks[slot] === 1);
  }

  #getFullOrder(sort: DirectorySort): Int32Array<ArrayBuffer> {
    if (sort.by === 'name' && !sort.descending) return this.#names.order;
    const name = `${sort.by} ${sort.descending}`;
    const cached = this.#orders.get(name);
    if (cached) return cached;
    const [oldest] = this.#orders.keys();
    if (this.#orders.size >= MAX_CACHED_ORDERS && oldest !== undefined) this.#orders.delete(oldest);
    const order = this.#sortByValue(this.#names.order, sort);
    this.#orders.set(name, order);
    return order;
  }

  /** Stable counting sort of slots that are in name order. */
  #sortByValue(slots: Int32Array<ArrayBuffer>, { by, descending }: DirectorySort): Int32Array<ArrayBuffer> {
    const values = compactValues(slots, this.#getValueReader(by));
    const highest = Math.max(0, findHighest(values));
    if (descending) for (let at = 0; at < values.length; at += 1) values[at] = highest - (values[at] ?? 0);
    const ends = new Int32Array(highest + 2);
    for (const value of values) ends[value + 1] = (ends[value + 1] ?? 0) + 1;
    for (let value = 1; value < ends.length; value += 1)
      ends[value] = (ends[value] ?? 0) + (ends[value - 1] ?? 0);
    const sorted = new Int32Array(slots.length);
    for (let at = 0; at < slots.length; at += 1) {
      const value = values[at] ?? 0;
      const place = ends[value] ?? 0;
      sorted[place] = slots[at] ?? 0;
      ends[value] = place + 1;
    }
    return sorted;
  }

  #sortByName(slots: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
    const { order, positions } = this.#names;
    return slots
      .map((slot) => positions[slot] ?? 0)
      .toSorted()
      .map((place) => order[place] ?? 0);
  }

  #getValueReader(by: SortKey): (slot: number) => number {
    if (by === 'name') return createReader(this.#names.keys);
    if (by === 'email') return createReader(this.#getEmailOrder().keys);
    return VALUE_READERS[by](this.#people);
  }

  #getEmailOrder(): TextOrder {
    const { email } = this.#people;
    this.#emails ??= new TextOrder(this.#people, (slot) => splitEmailWords(email.get(slot)));
    return this.#emails;
  }
}

function findHighest(values: Int32Array | Float64Array): number {
  let highest = -Infinity;
  for (const value of values) if (value > highest) highest = value;
  return highest;
}

function findLowest(values: Float64Array): number {
  let lowest = Infinity;
  for (const value of values) if (value < lowest) lowest = value;
  return lowest;
}

/** Maps the values of the slots to small numbers in the same order. */
function compactValues(slots: Int32Array, readValue: (slot: number) => number): Int32Array {
  const values = new Float64Array(slots.length);
  for (let at = 0; at < slots.length; at += 1) values[at] = readValue(slots[at] ?? 0);
  const lowest = findLowest(values);
  const compacted = new Int32Array(slots.length);
  const isCompact = findHighest(values) - lowest <= MAX_VALUE_SPREAD * slots.length;
  const distinct = isCompact ? values : values.toSorted().filter((value, at, all) => value !== all[at - 1]);
  for (let at = 0; at < slots.length; at += 1) {
    const value = values[at] ?? 0;
    compacted[at] = isCompact ? value - lowest : findPosition(value, distinct);
  }
  return compacted;
}

function findPosition(value: number, sorted: Float64Array): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

const createReader =
  (numbers: Int32Array | Float64Array) =>
  (slot: number): number =>
    numbers[slot] ?? 0;

const hasTrait = (traits: Uint8Array, slot: number, trait: number): boolean =>
  ((traits[slot] ?? 0) & trait) > 0;
