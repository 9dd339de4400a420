import type { Cell } from './keys.ts';

/** Cells from a corner to the other one, both among them. */
export interface Range {
  top: number;
  bottom: number;
  left: number;
  right: number;
}

export const rangeOf = (a: Cell, b: Cell): Range => ({
  top: Math.max(0, Math.min(a.row, b.row)),
  bottom: Math.max(0, a.row, b.row),
  left: Math.min(a.column, b.column),
  right: Math.max(a.column, b.column),
});

export const cellsIn = ({ top, bottom, left, right }: Range): number =>
  (bottom - top + 1) * (right - left + 1);
