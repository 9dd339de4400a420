import { grown } from './grown.ts';

/** Moments as numbers; the text of one that is written in another way than ours is kept beside it. */
export class Moments {
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
