import type { RowVm } from '../../../../contract/generated/types.gen.ts';
import type { EntryRows } from '../model/row-windows.ts';
import type { ChangeSet } from './change-set.ts';

/** Staged ids of new entries in the order they were added. */
export const getNewEntryIds = ({ cells }: ChangeSet): number[] =>
  [...cells.keys()].filter((entryId) => entryId < 0).toSorted((a, b) => b - a);

// The same object per entry, so that its row is rendered once.
const rowsById = new Map<number, RowVm>();

function getNewRow(EntryId: number): RowVm {
  const row = rowsById.get(EntryId) ?? { EntryId };
  rowsById.set(EntryId, row);
  return row;
}

/** Appends rows for new entries after the last row. The rows are empty; all their values are staged. */
export function appendNewRows(rows: EntryRows, entryIds: readonly number[]): EntryRows {
  if (entryIds.length === 0) return rows;
  const lastIndex = Math.max(0, rows.total - 1);
  return {
    ...rows,
    total: rows.total + entryIds.length,
    at(index) {
      if (index < rows.total) return rows.at(index);
      const entryId = entryIds[index - rows.total];
      return entryId === undefined ? undefined : getNewRow(entryId);
    },
    async loadRange(from, to) {
      const stored = from < rows.total ? await rows.loadRange(from, Math.min(to, lastIndex)) : [];
      const newIds = entryIds.slice(Math.max(0, from - rows.total), Math.max(0, to + 1 - rows.total));
      return [...stored, ...newIds.map(getNewRow)];
    },
    setVisibleRange: (from, to) => rows.setVisibleRange(Math.min(from, lastIndex), Math.min(to, lastIndex)),
  };
}
