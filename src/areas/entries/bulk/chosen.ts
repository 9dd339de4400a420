import { useEffect } from 'react';
import { createStore, useStore } from '../../../ui/store.ts';
import type { EntryRows } from '../model/rows.ts';

/** Rows of the grid that somebody has selected, first and last by their places. */
interface Chosen {
  rows: EntryRows;
  top: number;
  bottom: number;
}

interface Held extends Chosen {
  /** The rows that the service holds: those of new entries come behind them. */
  stored: EntryRows;
}

const chosen = createStore<Held | undefined>(undefined);

/** The rows that are selected in the grid, new ones among them; one only where it was selected as a row. */
export const useSelectedRows = (): Chosen | undefined => useStore(chosen);

/** The rows of entries that are there, which are selected in the grid, where they are more than one. */
export function useChosenRows(): Chosen | undefined {
  const held = useStore(chosen);
  if (!held) return undefined;
  const { stored: rows, top } = held;
  const bottom = Math.min(held.bottom, rows.total - 1);
  return bottom > top ? { rows, top, bottom } : undefined;
}

/** Tells those outside of the grid which rows its range covers; undefined for none. */
export function useChoose(
  stored: EntryRows,
  rows: EntryRows,
  range: Pick<Chosen, 'top' | 'bottom'> | undefined,
): void {
  const { top = 0, bottom = -1 } = range ?? {};
  // The grid is drawn for each cell that the keyboard goes to; who follows the rows is told only of rows.
  useEffect(() => {
    if (bottom < top) return undefined;
    chosen.set({ stored, rows, top, bottom });
    return () => chosen.set(undefined);
  }, [stored, rows, top, bottom]);
}
