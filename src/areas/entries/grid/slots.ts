interface Placed {
  index: number;
  slot: number;
}

/**
 * Which piece of the document shows which row. A row that leaves gives its place to one that comes, so that scrolling
 * changes texts and makes no elements; a row that stays keeps its own, and with it the focus. They are told in the order
 * of the places, since moving them would draw them anew: `aria-rowindex` says which row comes after which.
 */
export function createSlots() {
  let held: ReadonlyMap<number, number> = new Map();
  let made = 0;
  return {
    /** The places of these rows, the same for the same rows however often it is asked. */
    assign(indices: readonly number[]): readonly Placed[] {
      const next = new Map<number, number>();
      for (const index of indices) {
        const slot = held.get(index);
        if (slot !== undefined) next.set(index, slot);
      }
      const taken = new Set(next.values());
      const free = Array.from({ length: made }, (_, slot) => slot).filter((slot) => !taken.has(slot));
      for (const index of indices) {
        if (next.has(index)) continue;
        const slot = free.shift() ?? made;
        if (slot === made) made += 1;
        next.set(index, slot);
      }
      held = next;
      return [...next].map(([index, slot]) => ({ index, slot })).toSorted((a, b) => a.slot - b.slot);
    },
  };
}
