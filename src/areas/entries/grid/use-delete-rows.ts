import { useState } from 'react';
import type { RowVm } from '../../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import { usePermission } from '../../../api/session.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import type { CellRange } from '../../../ui/cell-navigation.ts';
import { announce } from '../../../ui/layout/LiveRegion.tsx';
import { toast } from '../../../ui/toast.ts';
import { getChangeSet, stageEntryDeletions, unstageEntryDeletions } from '../editing/change-set-store.ts';
import { createStagedDeletion } from '../editing/grid-editing.ts';
import type { EntryColumn } from '../model/columns.ts';
import { loadFullRange } from '../model/full-values.ts';
import type { EntryRows } from '../model/row-windows.ts';

/** Upper bound of rows deleted at once; the grid caches as many. */
export const MAX_DELETED_ROWS = 4000;

type Rows = Pick<CellRange, 'top' | 'bottom'>;

/** Stages deletions of the rows, or unstages them if all are staged already. Returns a description of the result. */
export function toggleDeletion(
  typeId: number,
  rows: readonly RowVm[],
  columns: readonly EntryColumn[],
): string {
  if (rows.length === 0) return 'The selection contains no entries';
  const ids = rows.map(({ EntryId }) => EntryId);
  const countText = pluralize(rows.length, 'entry', 'entries');
  // The current state: loading the rows took time.
  const { deletions } = getChangeSet(typeId);
  if (ids.every((id) => deletions.has(id))) {
    unstageEntryDeletions(typeId, ids, `Keep ${countText}`);
    return `${countText} will be kept`;
  }
  stageEntryDeletions(
    typeId,
    rows.map((row) => createStagedDeletion(row, columns)),
    `Delete ${countText}`,
  );
  return `${countText} will be deleted after review`;
}

/** Loads the selected rows and toggles their staged deletion. */
export function useDeleteRows(typeId: number, columns: readonly EntryColumn[]) {
  const { reason } = usePermission('deleteEntries');
  const [pending, setPending] = useState(false);
  const deleteRows = async (entryRows: EntryRows, { top, bottom }: Rows) => {
    const tooMany =
      bottom - top >= MAX_DELETED_ROWS
        ? `At most ${formatNumber(MAX_DELETED_ROWS)} rows can be deleted at once`
        : undefined;
    if (reason ?? tooMany) {
      toast({ title: 'Nothing was staged', description: reason ?? tooMany ?? '', tone: 'bad' });
      return;
    }
    setPending(true);
    try {
      announce(toggleDeletion(typeId, await loadFullRange(entryRows, top, bottom, []), columns));
    } catch (thrown) {
      const { message: description } = toServiceError(thrown);
      toast({ title: 'The selected rows could not be loaded', description, tone: 'bad' });
    } finally {
      setPending(false);
    }
  };
  return { reason, pending, deleteRows };
}
