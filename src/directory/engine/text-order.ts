import { compareTexts, rankWords } from './collation.ts';
import { growArray } from './grow-array.ts';
import type { People } from './people.ts';

/** Above this share of changed rows, sorting all again is cheaper than inserting each. */
const MAX_CHANGED_SHARE = 1 / 8;

/**
 * Order of all users by one text, with a number per slot that compares like the text. A few changed rows are inserted
 * individually.
 */
export class TextOrder {
  readonly #people: People;
  readonly #wordsAt: (slot: number) => string[];
  readonly #changed = new Set<number>();
  #isSorted = false;
  #order = new Int32Array(0);
  #keys = new Int32Array(0);
  #positions = new Int32Array(0);

  constructor(people: People, wordsAt: (slot: number) => string[]) {
    this.#people = people;
    this.#wordsAt = wordsAt;
  }

  /** Must be called for each slot that was added, changed or freed. */
  invalidateSlot(slot: number): void {
    if (this.#isSorted) this.#changed.add(slot);
  }

  /** Slots in order; equal texts by id. */
  get order(): Int32Array<ArrayBuffer> {
    this.#update();
    return this.#order;
  }

  /** Comparable number of each slot; equal for equal texts. */
  get keys(): Int32Array {
    this.#update();
    return this.#keys;
  }

  /** Position of each slot in the order. */
  get positions(): Int32Array {
    this.#update();
    return this.#positions;
  }

  #update(): void {
    if (this.#isSorted && this.#changed.size === 0) return;
    const { slotCount } = this.#people;
    this.#keys = growArray(this.#keys, slotCount);
    if (!this.#isSorted || this.#changed.size > this.#order.length * MAX_CHANGED_SHARE) this.#sortAll();
    else this.#insertChanged();
    this.#changed.clear();
    this.#isSorted = true;
    this.#positions = growArray(this.#positions, slotCount);
    for (const [place, slot] of this.#order.entries()) this.#positions[slot] = place;
  }

  #sortAll(): void {
    const { ids } = this.#people;
    const compare = createTextComparer(this.#people.slotCount, this.#wordsAt);
    this.#order = this.#people.slots().toSorted((a, b) => compare(a, b) || (ids[a] ?? 0) - (ids[b] ?? 0));
    let key = 0;
    for (const [place, slot] of this.#order.entries()) {
      if (place > 0 && compare(this.#order[place - 1] ?? 0, slot) !== 0) key += 1;
      this.#keys[slot] = key;
    }
  }

  #insertChanged(): void {
    const changed = this.#changed;
    const unchangedOrder = this.#order.filter((slot) => !changed.has(slot));
    const changedSlots = this.#sortChanged();
    const order = new Int32Array(unchangedOrder.length + changedSlots.length);
    let from = 0;
    for (const [at, { slot, words }] of changedSlots.entries()) {
      const to = this.#findInsertIndex(unchangedOrder, slot, words, from);
      order.set(unchangedOrder.subarray(from, to), from + at);
      order[to + at] = slot;
      from = to;
    }
    order.set(unchangedOrder.subarray(from), from + changedSlots.length);
    this.#order = order;
    this.#renumber();
  }

  #sortChanged(): { slot: number; words: string[] }[] {
    const { ids } = this.#people;
    return [...this.#changed]
      .filter((slot) => this.#people.isPresent(slot))
      .map((slot) => ({ slot, words: this.#wordsAt(slot) }))
      .toSorted((a, b) => compareTexts(a.words, b.words) || (ids[a.slot] ?? 0) - (ids[b.slot] ?? 0));
  }

  #findInsertIndex(unchangedOrder: Int32Array, slot: number, words: readonly string[], from: number): number {
    const { ids } = this.#people;
    let low = from;
    let high = unchangedOrder.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = unchangedOrder[middle] ?? 0;
      const difference = compareTexts(words, this.#wordsAt(other)) || (ids[slot] ?? 0) - (ids[other] ?? 0);
      if (difference < 0) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** Renumbers the keys; texts are compared only next to a changed slot. */
  #renumber(): void {
    const changed = this.#changed;
    let key = 0;
    let previous: number | undefined;
    let keyBefore = 0;
    for (const slot of this.#order) {
      const old = this.#keys[slot] ?? 0;
      if (previous !== undefined) {
        const isSame =
          changed.has(slot) || changed.has(previous)
            ? compareTexts(this.#wordsAt(previous), this.#wordsAt(slot)) === 0
            : old === keyBefore;
        if (!isSame) key += 1;
      }
      this.#keys[slot] = key;
      previous = slot;
      keyBefore = old;
    }
  }
}

/** Creates a comparer of two slots' texts that collates each distinct word only once. */
function createTextComparer(
  top: number,
  wordsAt: (slot: number) => string[],
): (a: number, b: number) => number {
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
  const ranksByWord = rankWords(numbers.keys());
  const byNumber = Int32Array.from(numbers.keys(), (word) => ranksByWord.get(word) ?? 0);
  const ranks = Int32Array.from(sequence, (number) => byNumber[number] ?? 0);
  const heads = packFirstTwoRanks(starts, ranks, numbers.size + 1);
  return (a, b) => (heads[a] ?? 0) - (heads[b] ?? 0) || compareRemainingWords(starts, ranks, a, b);
}

/** Packs the ranks of the first two words of each text into one number, which decides most comparisons. */
function packFirstTwoRanks(starts: Int32Array, ranks: Int32Array, rankCount: number): Float64Array {
  const rankAt = (slot: number, word: number) => {
    const at = (starts[slot] ?? 0) + word;
    return at < (starts[slot + 1] ?? 0) ? (ranks[at] ?? 0) : 0;
  };
  return Float64Array.from(
    { length: starts.length - 1 },
    (_, slot) => rankAt(slot, 0) * rankCount + rankAt(slot, 1),
  );
}

function compareRemainingWords(starts: Int32Array, ranks: Int32Array, a: number, b: number): number {
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
