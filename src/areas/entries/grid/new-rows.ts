import type { RowVm } from '../../../api/generated/types.gen.ts';
import type { Changes } from '../editing/changes.ts';
import type { EntryRows } from '../model/rows.ts';

/** The entries that are staged to be made, in the order in which they were. */
export const newIn = ({ cells }: Changes): number[] =>
  [...cells.keys()].filter((entryId) => entryId < 0).toSorted((a, b) => b - a);

// A row is the same object as long as it is the same entry, so that it is drawn once.
const rowsById = new Map<number, RowVm>();

function rowOf(EntryId: number): RowVm {
  const row = rowsById.get(EntryId) ?? { EntryId };
  rowsById.set(EntryId, row);
  return row;
}

/**
 * Rows with those of new entries behind the last one, where a sheet goes on: none of the others moves. They hold nothing
 * themselves; all of them is staged.
 */
export function withNew(rows: EntryRows, entryIds: readonly number[]): EntryRows {
  if (entryIds.length === 0) return rows;
  const last = Math.max(0, rows.total - 1);
  return {
    ...rows,
    total: rows.total + entryIds.length,
    at(index) {
      if (index < rows.total) return rows.at(index);
      const entryId = entryIds[index - rows.total];
      return entryId === undefined ? undefined : rowOf(entryId);
    },
    async between(from, to) {
      const stored = from < rows.total ? await rows.between(from, Math.min(to, last)) : [];
      const fresh = entryIds.slice(Math.max(0, from - rows.total), Math.max(0, to + 1 - rows.total));
      return [...stored, ...fresh.map(rowOf)];
    },
    want: (from, to) => rows.want(Math.min(from, last), Math.min(to, last)),
  };
}
