interface RowSlot {
  index: number;
  slot: number;
}

/**
 * Assigns rows to reusable DOM elements (slots). Rows that come into view take the slots of rows that left, so that
 * scrolling updates texts instead of creating elements; rows that stay keep their slot and the focus. Slots keep their
 * DOM order; `aria-rowindex` gives the order of the rows.
 */
export function createRowSlots() {
  let assigned: ReadonlyMap<number, number> = new Map();
  let slotCount = 0;
  return {
    /** Assigns slots to the rows; repeating the call returns the same slots. */
    assign(indices: readonly number[]): readonly RowSlot[] {
      const next = new Map<number, number>();
      for (const index of indices) {
        const slot = assigned.get(index);
        if (slot !== undefined) next.set(index, slot);
      }
      const usedSlots = new Set(next.values());
      const freeSlots = Array.from({ length: slotCount }, (_, slot) => slot).filter(
        (slot) => !usedSlots.has(slot),
      );
      for (const index of indices) {
        if (next.has(index)) continue;
        const slot = freeSlots.shift() ?? slotCount;
        if (slot === slotCount) slotCount += 1;
        next.set(index, slot);
      }
      assigned = next;
      return [...next].map(([index, slot]) => ({ index, slot })).toSorted((a, b) => a.slot - b.slot);
    },
  };
}
