import { wordsOfEmail, wordsOfName } from './collation.ts';
import { ACTIVE, ADDRESSES, licenseOf, LOCKED, TWO_FACTOR } from './people.ts';
import type { DirectorySort, SortKey } from '../search.ts';
import type { People } from './people.ts';
import { TextOrder } from './text-order.ts';

/** So many orders of everybody are kept; coming back to a column costs nothing then. */
const KEPT = 4;
/** Below this share of everybody, sorting those alone costs less than walking through the order of all. */
const FEW = 1 / 8;
/** Doubles are exact up to 2 ** 53; some room is left for the division. */
const EXACT = 2 ** 50;
const NO_LICENSE_KNOWN = 9;

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
    if (slots.length < this.#people.size * FEW) return this.#sorted(slots, sort);
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
    const order = this.#sorted(this.#people.slots(), sort);
    this.#orders.set(name, order);
    return order;
  }

  /** Value and place by name make one number for each slot, which sort without a comparison of ours. */
  #sorted(slots: Int32Array<ArrayBuffer>, { by, descending }: DirectorySort): Int32Array<ArrayBuffer> {
    const { order, places } = this.#names;
    const values = closeTogether(Float64Array.from(slots, this.#valueOf(by)), order.length);
    const highest = highestOf(values);
    const together = values.map(
      (value, at) => (descending ? highest - value : value) * order.length + (places[slots[at] ?? 0] ?? 0),
    );
    together.sort();
    return Int32Array.from(
      together,
      (number) => order[number - Math.floor(number / order.length) * order.length] ?? 0,
    );
  }

  #valueOf(by: SortKey): (slot: number) => number {
    const { traits, groups, modified, created, ids } = this.#people;
    const traitsAt = (slot: number) => traits[slot] ?? 0;
    const read = (numbers: Int32Array | Float64Array) => (slot: number) => numbers[slot] ?? 0;
    switch (by) {
      case 'name':
        return read(this.#names.keys);
      case 'email':
        return read(this.#emailOrder().keys);
      case 'status':
        return (slot) => ((traitsAt(slot) & ACTIVE) > 0 ? 0 : 2) + ((traitsAt(slot) & LOCKED) > 0 ? 1 : 0);
      case 'license':
        return (slot) => licenseOf(traitsAt(slot)) || NO_LICENSE_KNOWN;
      case 'groups':
        return (slot) => groups.countAt(slot);
      case 'access':
        return (slot) =>
          ((traitsAt(slot) & TWO_FACTOR) > 0 ? 2 : 0) + ((traitsAt(slot) & ADDRESSES) > 0 ? 1 : 0);
      case 'modified':
        return read(modified.times);
      case 'id':
        return read(ids);
      case 'created':
        return read(created.times);
    }
  }

  #emailOrder(): TextOrder {
    const { email } = this.#people;
    this.#emails ??= new TextOrder(this.#people, (slot) => wordsOfEmail(email.get(slot)));
    return this.#emails;
  }
}

function highestOf(values: Float64Array): number {
  let highest = 0;
  for (const value of values) if (value > highest) highest = value;
  return highest;
}

/** Values from 0 in the same order; moments lie too far apart to make one number with a place. */
function closeTogether(values: Float64Array<ArrayBuffer>, places: number): Float64Array<ArrayBuffer> {
  const sorted = values.toSorted();
  const lowest = sorted[0] ?? 0;
  if (((sorted.at(-1) ?? 0) - lowest + 1) * places < EXACT) return values.map((value) => value - lowest);
  const distinct = sorted.filter((value, at) => value !== sorted[at - 1]);
  return values.map((value) => placeOf(value, distinct));
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
