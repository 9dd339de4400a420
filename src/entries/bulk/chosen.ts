import { useEffect } from 'react';
import { createStore, useStore } from '../../ui/store.ts';
import type { EntryRows } from '../rows.ts';

/** Rows of the grid that somebody has selected, first and last by their places. */
interface Chosen {
  rows: EntryRows;
  top: number;
  bottom: number;
}

const chosen = createStore<Chosen | undefined>(undefined);

/** The rows that are selected in the grid, where they are more than one. */
export const useChosenRows = (): Chosen | undefined => useStore(chosen);

/** Tells those outside of the grid which rows its range covers. */
export function useChoose(rows: EntryRows, { top, bottom }: Pick<Chosen, 'top' | 'bottom'>): void {
  // The grid is drawn for each cell that the keyboard goes to; who follows the rows is told only of rows.
  useEffect(() => {
    if (bottom <= top) return undefined;
    chosen.set({ rows, top, bottom });
    return () => chosen.set(undefined);
  }, [rows, top, bottom]);
}
