import { useMemo, useRef } from 'react';
import type { RowId } from './columns.ts';

interface Selecting<Row> {
  rows: readonly Row[];
  rowId: (row: Row) => RowId;
  selection: ReadonlySet<RowId>;
  onSelect: (next: ReadonlySet<RowId>) => void;
}

export type HeaderState = 'none' | 'some' | 'all';

/** Selection by single rows, by ranges from the last one touched, and all at once. */
export function useSelection<Row>({ rows, rowId, selection, onSelect }: Selecting<Row>) {
  const last = useRef<number>(undefined);
  const state = useMemo<HeaderState>(() => {
    if (selection.size === 0 || rows.length === 0) return 'none';
    const chosen = (row: Row) => selection.has(rowId(row));
    if (selection.size >= rows.length && rows.every(chosen)) return 'all';
    return rows.some(chosen) ? 'some' : 'none';
  }, [rows, rowId, selection]);

  const toggle = (at: number, range: boolean) => {
    const row = rows[at];
    if (row === undefined) return;
    const on = !selection.has(rowId(row));
    const from = range && last.current !== undefined ? last.current : at;
    const next = new Set(selection);
    for (const touched of rows.slice(Math.min(from, at), Math.max(from, at) + 1)) {
      if (on) next.add(rowId(touched));
      else next.delete(rowId(touched));
    }
    last.current = at;
    onSelect(next);
  };

  const toggleAll = () => {
    last.current = undefined;
    onSelect(state === 'all' ? new Set() : new Set(rows.map(rowId)));
  };

  return { state, toggle, toggleAll };
}
