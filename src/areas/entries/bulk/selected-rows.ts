import { useEffect } from 'react';
import { createStore, useStore } from '../../../ui/store.ts';
import type { EntryRows } from '../model/row-windows.ts';

/** Range of grid rows, first and last by index. */
interface RowRange {
  rows: EntryRows;
  top: number;
  bottom: number;
}

interface GridSelection extends RowRange {
  /** Rows stored by the service; rows of new entries follow them. */
  storedRows: EntryRows;
}

const selection = createStore<GridSelection | undefined>(undefined);

/** Rows selected in the grid, new ones included. */
export const useSelectedRows = (): RowRange | undefined => useStore(selection);

/** Stored rows selected in the grid; undefined unless there are at least two. */
export function useSelectedStoredRows(): RowRange | undefined {
  const range = useStore(selection);
  if (!range) return undefined;
  const { storedRows, top } = range;
  const bottom = Math.min(range.bottom, storedRows.total - 1);
  return bottom > top ? { rows: storedRows, top, bottom } : undefined;
}

/** Publishes the range selected in the grid to components outside of it; undefined clears it. */
export function usePublishSelection(
  storedRows: EntryRows,
  rows: EntryRows,
  range: Pick<RowRange, 'top' | 'bottom'> | undefined,
): void {
  const { top = 0, bottom = -1 } = range ?? {};
  // Published by rows, not by cells: the grid renders on every cell move.
  useEffect(() => {
    if (bottom < top) return undefined;
    selection.set({ storedRows, rows, top, bottom });
    return () => selection.set(undefined);
  }, [storedRows, rows, top, bottom]);
}
