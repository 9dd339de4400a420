import { compareTexts, rankWords } from './collation.ts';
import { grown } from './grown.ts';
import type { People } from './people.ts';

/** Beyond this share of changed rows, sorting everybody again costs less than putting each in its place. */
const MANY = 1 / 8;

/**
 * Everybody in the order of one text, and a number for each slot that compares as the text does. Where a few
 * rows have changed, these alone are put in their places.
 */
export class TextOrder {
  readonly #people: People;
  readonly #wordsAt: (slot: number) => string[];
  readonly #changed = new Set<number>();
  #isSorted = false;
  #order = new Int32Array(0);
  #keys = new Int32Array(0);
  #places = new Int32Array(0);

  constructor(people: People, wordsAt: (slot: number) => string[]) {
    this.#people = people;
    this.#wordsAt = wordsAt;
  }

  /** To be told of each slot that was taken, changed or freed. */
  note(slot: number): void {
    if (this.#isSorted) this.#changed.add(slot);
  }

  /** Slots in order; equal texts by id. */
  get order(): Int32Array<ArrayBuffer> {
    this.#settle();
    return this.#order;
  }

  /** By slot; the same for equal texts. */
  get keys(): Int32Array {
    this.#settle();
    return this.#keys;
  }

  /** By slot: the place in the order. */
  get places(): Int32Array {
    this.#settle();
    return this.#places;
  }

  #settle(): void {
    if (this.#isSorted && this.#changed.size === 0) return;
    const { top } = this.#people;
    this.#keys = grown(this.#keys, top);
    if (!this.#isSorted || this.#changed.size > this.#order.length * MANY) this.#sortAll();
    else this.#putChanged();
    this.#changed.clear();
    this.#isSorted = true;
    this.#places = grown(this.#places, top);
    for (const [place, slot] of this.#order.entries()) this.#places[slot] = place;
  }

  #sortAll(): void {
    const { ids } = this.#people;
    const compare = rankedTexts(this.#people.top, this.#wordsAt);
    this.#order = this.#people.slots().toSorted((a, b) => compare(a, b) || (ids[a] ?? 0) - (ids[b] ?? 0));
    let key = 0;
    for (const [place, slot] of this.#order.entries()) {
      if (place > 0 && compare(this.#order[place - 1] ?? 0, slot) !== 0) key += 1;
      this.#keys[slot] = key;
    }
  }

  #putChanged(): void {
    const changed = this.#changed;
    const kept = this.#order.filter((slot) => !changed.has(slot));
    const coming = this.#sortedChanges();
    const order = new Int32Array(kept.length + coming.length);
    let from = 0;
    for (const [at, { slot, words }] of coming.entries()) {
      const to = this.#placeIn(kept, slot, words, from);
      order.set(kept.subarray(from, to), from + at);
      order[to + at] = slot;
      from = to;
    }
    order.set(kept.subarray(from), from + coming.length);
    this.#order = order;
    this.#numberAgain();
  }

  #sortedChanges(): { slot: number; words: string[] }[] {
    const { ids } = this.#people;
    return [...this.#changed]
      .filter((slot) => this.#people.isPresent(slot))
      .map((slot) => ({ slot, words: this.#wordsAt(slot) }))
      .toSorted((a, b) => compareTexts(a.words, b.words) || (ids[a.slot] ?? 0) - (ids[b.slot] ?? 0));
  }

  #placeIn(kept: Int32Array, slot: number, words: readonly string[], from: number): number {
    const { ids } = this.#people;
    let low = from;
    let high = kept.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = kept[middle] ?? 0;
      const difference = compareTexts(words, this.#wordsAt(other)) || (ids[slot] ?? 0) - (ids[other] ?? 0);
      if (difference < 0) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** Neighbours that both stayed compare as before; only beside a change texts are compared. */
  #numberAgain(): void {
    const changed = this.#changed;
    let key = 0;
    let before: number | undefined;
    let keyBefore = 0;
    for (const slot of this.#order) {
      const old = this.#keys[slot] ?? 0;
      if (before !== undefined) {
        const isSame =
          changed.has(slot) || changed.has(before)
            ? compareTexts(this.#wordsAt(before), this.#wordsAt(slot)) === 0
            : old === keyBefore;
        if (!isSame) key += 1;
      }
      this.#keys[slot] = key;
      before = slot;
      keyBefore = old;
    }
  }
}

/** A comparison of the texts in two slots that has asked the collator about each word once. */
function rankedTexts(top: number, wordsAt: (slot: number) => string[]): (a: number, b: number) => number {
  const numbers = new Map<string, number>();
  const sequence: number[] = [];
  const starts = new Int32Array(top + 1);
  for (let slot = 0; slot < top; slot += 1) {
    starts[slot] = sequence.length;
    for (const word of wordsAt(slot)) {
      const number = numbers.get(word) ?? numbers.size;
      numbers.set(word, number);
      sequence.push(number);
    }
  }
  starts[top] = sequence.length;
  const rankOf = rankWords(numbers.keys());
  const byNumber = Int32Array.from(numbers.keys(), (word) => rankOf.get(word) ?? 0);
  const ranks = Int32Array.from(sequence, (number) => byNumber[number] ?? 0);
  const heads = firstTwo(starts, ranks, numbers.size + 1);
  return (a, b) => (heads[a] ?? 0) - (heads[b] ?? 0) || compareTails(starts, ranks, a, b);
}

/** The first two words of each text as one number: they decide nearly every comparison. */
function firstTwo(starts: Int32Array, ranks: Int32Array, most: number): Float64Array {
  const rankAt = (slot: number, word: number) => {
    const at = (starts[slot] ?? 0) + word;
    return at < (starts[slot + 1] ?? 0) ? (ranks[at] ?? 0) : 0;
  };
  return Float64Array.from(
    { length: starts.length - 1 },
    (_, slot) => rankAt(slot, 0) * most + rankAt(slot, 1),
  );
}

function compareTails(starts: Int32Array, ranks: Int32Array, a: number, b: number): number {
  const endA = starts[a + 1] ?? 0;
  const endB = starts[b + 1] ?? 0;
  let atA = (starts[a] ?? 0) + 2;
  let atB = (starts[b] ?? 0) + 2;
  for (; atA < endA && atB < endB; atA += 1, atB += 1) {
    const difference = (ranks[atA] ?? 0) - (ranks[atB] ?? 0);
    if (difference !== 0) return difference;
  }
  return Math.max(0, endA - atA) - Math.max(0, endB - atB);
}
