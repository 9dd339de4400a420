import { wordsOfEmail, wordsOfName } from './collation.ts';
import { ACTIVE, ADDRESSES, licenseOf, LOCKED, TWO_FACTOR } from './people.ts';
import type { DirectorySort, SortKey } from '../search.ts';
import type { People } from './people.ts';
import { TextOrder } from './text-order.ts';

/** So many orders of everybody are kept; coming back to a column costs nothing then. */
const KEPT = 4;
/** Below this share of everybody, sorting those alone costs less than walking through the order of all. */
const FEW = 1 / 8;
/** Values this much wider apart than their number are numbered anew, or sorting would walk through the gaps. */
const SPREAD = 4;
const NO_LICENSE_KNOWN = 9;

/** What is compared, by slot, where it is no text. */
const VALUES: Record<Exclude<SortKey, 'name' | 'email'>, (people: People) => (slot: number) => number> = {
  status:
    ({ traits }) =>
    (slot) =>
      (isOn(traits, slot, ACTIVE) ? 0 : 2) + (isOn(traits, slot, LOCKED) ? 1 : 0),
  license:
    ({ traits }) =>
    (slot) =>
      licenseOf(traits[slot] ?? 0) || NO_LICENSE_KNOWN,
  groups:
    ({ groups }) =>
    (slot) =>
      groups.countAt(slot),
  access:
    ({ traits }) =>
    (slot) =>
      (isOn(traits, slot, TWO_FACTOR) ? 2 : 0) + (isOn(traits, slot, ADDRESSES) ? 1 : 0),
  modified: ({ modified }) => read(modified.times),
  created: ({ created }) => read(created.times),
  id: ({ ids }) => read(ids),
};

/** Sorts by any column; equal values are in the order of the names, then of the ids, in both directions. */
export class Sorting {
  readonly #people: People;
  readonly #names: TextOrder;
  /** Made only where somebody sorts by it. */
  #emails: TextOrder | undefined;
  readonly #orders = new Map<string, Int32Array<ArrayBuffer>>();

  constructor(people: People) {
    this.#people = people;
    this.#names = new TextOrder(people, (slot) => wordsOfName(people.name(slot)));
  }

  /** To be told of each slot that was taken, changed or freed. */
  note(slot: number, hasNewTexts: boolean): void {
    this.#orders.clear();
    if (!hasNewTexts) return;
    this.#names.note(slot);
    this.#emails?.note(slot);
  }

  sort(slots: Int32Array<ArrayBuffer>, sort: DirectorySort): Int32Array<ArrayBuffer> {
    if (slots.length < this.#people.size * FEW) return this.#sorted(this.#byName(slots), sort);
    const order = this.#orderOfAll(sort);
    if (slots.length === order.length) return order;
    const marks = new Uint8Array(this.#people.top);
    for (const slot of slots) marks[slot] = 1;
    return order.filter((slot) => marks[slot] === 1);
  }

  #orderOfAll(sort: DirectorySort): Int32Array<ArrayBuffer> {
    if (sort.by === 'name' && !sort.descending) return this.#names.order;
    const name = `${sort.by} ${sort.descending}`;
    const known = this.#orders.get(name);
    if (known) return known;
    const [oldest] = this.#orders.keys();
    if (this.#orders.size >= KEPT && oldest !== undefined) this.#orders.delete(oldest);
    const order = this.#sorted(this.#names.order, sort);
    this.#orders.set(name, order);
    return order;
  }

  /** `slots` are in the order of the names, which equal values keep. */
  #sorted(slots: Int32Array<ArrayBuffer>, { by, descending }: DirectorySort): Int32Array<ArrayBuffer> {
    const values = closeTogether(slots, this.#valueOf(by));
    const highest = Math.max(0, highestOf(values));
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

  #byName(slots: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
    const { order, places } = this.#names;
    return slots
      .map((slot) => places[slot] ?? 0)
      .toSorted()
      .map((place) => order[place] ?? 0);
  }

  #valueOf(by: SortKey): (slot: number) => number {
    if (by === 'name') return read(this.#names.keys);
    if (by === 'email') return read(this.#emailOrder().keys);
    return VALUES[by](this.#people);
  }

  #emailOrder(): TextOrder {
    const { email } = this.#people;
    this.#emails ??= new TextOrder(this.#people, (slot) => wordsOfEmail(email.get(slot)));
    return this.#emails;
  }
}

function highestOf(values: Int32Array | Float64Array): number {
  let highest = -Infinity;
  for (const value of values) if (value > highest) highest = value;
  return highest;
}

function lowestOf(values: Float64Array): number {
  let lowest = Infinity;
  for (const value of values) if (value < lowest) lowest = value;
  return lowest;
}

/** Small numbers in the same order as the values of the slots. */
function closeTogether(slots: Int32Array, valueOf: (slot: number) => number): Int32Array {
  const values = new Float64Array(slots.length);
  for (let at = 0; at < slots.length; at += 1) values[at] = valueOf(slots[at] ?? 0);
  const lowest = lowestOf(values);
  const close = new Int32Array(slots.length);
  const isClose = highestOf(values) - lowest <= SPREAD * slots.length;
  const distinct = isClose ? values : values.toSorted().filter((value, at, all) => value !== all[at - 1]);
  for (let at = 0; at < slots.length; at += 1) {
    const value = values[at] ?? 0;
    close[at] = isClose ? value - lowest : placeOf(value, distinct);
  }
  return close;
}

function placeOf(value: number, sorted: Float64Array): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

const read =
  (numbers: Int32Array | Float64Array) =>
  (slot: number): number =>
    numbers[slot] ?? 0;

const isOn = (traits: Uint8Array, slot: number, trait: number): boolean => ((traits[slot] ?? 0) & trait) > 0;
