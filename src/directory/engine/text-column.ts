import { grown } from './grown.ts';

const BITS = 8;
const BLOCK = 2 ** BITS;

/**
 * One text for each slot, 256 of them joined into one string: a search runs through long strings instead of a
 * million short ones, which would also take several times the memory.
 */
export class TextColumn {
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
