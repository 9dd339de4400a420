/**
 * Which piece of the document shows which row. A row that leaves gives its place to one that comes, so that scrolling
 * changes texts and makes no elements; a row that stays keeps its own, and with it the focus.
 */
export function createSlots() {
  let held = new Map<number, number>();
  let made = 0;
  return {
    /** The slots of these rows, the same for the same rows however often it is asked. */
    assign(indices: readonly number[]): ReadonlyMap<number, number> {
      const next = new Map<number, number>();
      for (const index of indices) {
        const slot = held.get(index);
        if (slot !== undefined) next.set(index, slot);
      }
      const taken = new Set(next.values());
      const free = Array.from({ length: made }, (_, slot) => slot).filter((slot) => !taken.has(slot));
      for (const index of indices) {
        if (next.has(index)) continue;
        next.set(index, free.pop() ?? made++);
      }
      held = next;
      return next;
    },
  };
}
