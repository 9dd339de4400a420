import { expect, it } from 'vitest';
import { createRowSlots } from './row-slots.ts';

it('reuses the slots of rows that left and keeps those of rows that stay', () => {
  const slots = createRowSlots();
  expect(slots.assign([0, 1, 2, 3]).map(({ index }) => index)).toEqual([0, 1, 2, 3]);
  const next = slots.assign([2, 3, 4, 5]);
  expect(next.map(({ index }) => index)).toEqual([4, 5, 2, 3]);
  expect(next.map(({ slot }) => slot)).toEqual([0, 1, 2, 3]);
  expect(slots.assign([2, 3, 4, 5])).toEqual(next);
  // A focused row outside the view takes one more slot.
  expect(slots.assign([100, 101, 102, 103, 3])).toContainEqual({ index: 3, slot: 3 });
  expect(slots.assign([100, 101, 102, 103, 3]).map(({ slot }) => slot)).toEqual([0, 1, 2, 3, 4]);
});
