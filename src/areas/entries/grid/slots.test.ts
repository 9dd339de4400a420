import { expect, it } from 'vitest';
import { createSlots } from './slots.ts';

it('gives the places of rows that leave to rows that come, and lets the others stay', () => {
  const slots = createSlots();
  expect(slots.assign([0, 1, 2, 3]).map(({ index }) => index)).toEqual([0, 1, 2, 3]);
  const next = slots.assign([2, 3, 4, 5]);
  expect(next.map(({ index }) => index)).toEqual([4, 5, 2, 3]);
  expect(next.map(({ slot }) => slot)).toEqual([0, 1, 2, 3]);
  expect(slots.assign([2, 3, 4, 5])).toEqual(next);
  // A row far away that keeps the focus is one more.
  expect(slots.assign([100, 101, 102, 103, 3])).toContainEqual({ index: 3, slot: 3 });
  expect(slots.assign([100, 101, 102, 103, 3]).map(({ slot }) => slot)).toEqual([0, 1, 2, 3, 4]);
});
