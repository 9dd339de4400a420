import { useEffect } from 'react';
import { createStore, useStore } from '../../../ui/store.ts';
import type { EntryRows } from '../model/rows.ts';
import type { Cell } from './keys.ts';
import type { Range } from './range.ts';

/** What of the grid is in view and selected. */
interface GridStatus {
  rows: EntryRows;
  /** Counted from 0. */
  first: number;
  last: number;
  /** The one that the keyboard is on. */
  cell: Cell;
  range: Range | undefined;
}

// Scrolling must not draw the page around the grid again: its footer alone follows.
const status = createStore<GridStatus | undefined>(undefined);

/** Undefined while there is no grid. */
export const useGridStatus = (): GridStatus | undefined => useStore(status);

/** Tells the footer what is in view and selected. */
export function useTellStatus({ rows, first, last, cell, range }: GridStatus): void {
  const { row, column } = cell;
  const { top, bottom, left, right } = range ?? {};
  useEffect(() => {
    const isRange = top !== undefined && bottom !== undefined && left !== undefined && right !== undefined;
    const chosen = isRange ? { top, bottom, left, right } : undefined;
    status.set({ rows, first, last, cell: { row, column }, range: chosen });
  }, [rows, first, last, row, column, top, bottom, left, right]);
  useEffect(() => () => status.set(undefined), []);
}
