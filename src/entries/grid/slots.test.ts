import { expect, it } from 'vitest';
import { createSlots } from './slots.ts';

it('gives the places of rows that leave to rows that come, and lets the others stay', () => {
  const slots = createSlots();
  const first = new Map(slots.assign([0, 1, 2, 3]));
  const next = slots.assign([2, 3, 4, 5]);
  expect([next.get(2), next.get(3)]).toEqual([first.get(2), first.get(3)]);
  expect(new Set(next.values())).toEqual(new Set(first.values()));
  expect(new Map(slots.assign([2, 3, 4, 5]))).toEqual(new Map(next));
  // A row far away that keeps the focus is one more.
  const away = slots.assign([100, 101, 102, 103, 3]);
  expect(away.get(3)).toBe(first.get(3));
  expect(new Set(away.values()).size).toBe(5);
});
