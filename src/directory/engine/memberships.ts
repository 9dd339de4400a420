import { grown } from './grown.ts';

/** Which groups the person in each slot is in: small numbers for groups, all in one array. */
export class Memberships {
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
