import { useState } from 'react';
import { toServiceError } from '../../../api/errors.ts';
import type { RowVm } from '../../../api/generated/types.gen.ts';
import { useAllowed } from '../../../api/session.ts';
import { count, counted } from '../../../lib/numbers.ts';
import { announce } from '../../../ui/feedback/live.ts';
import { toast } from '../../../ui/feedback/toast.ts';
import type { EntryColumn } from '../model/columns.ts';
import { changesOf, deleteEntriesOf, keepEntriesOf } from '../editing/store.ts';
import type { EntryRows } from '../model/rows.ts';
import type { Range } from './range.ts';
import { rowsBetween } from './rows-between.ts';
import { deletionOf } from './sheet.ts';

/** As many as the grid holds at once. */
export const MOST_DELETED = 4000;

type Rows = Pick<Range, 'top' | 'bottom'>;

/** Stages that entries go; where all of them are to go already, that they stay. Answers what was done, in words. */
export function turnGoing(typeId: number, there: readonly RowVm[], columns: readonly EntryColumn[]): string {
  if (there.length === 0) return 'There is no entry any more where the selection is';
  const ids = there.map(({ EntryId }) => EntryId);
  const words = counted(there.length, 'entry', 'entries');
  // As it is staged by now: the rows had to be read.
  const { deletions } = changesOf(typeId);
  if (ids.every((id) => deletions.has(id))) {
    keepEntriesOf(typeId, ids, `Keep ${words}`);
    return `${words} to be kept`;
  }
  deleteEntriesOf(
    typeId,
    there.map((row) => deletionOf(row, columns)),
    `Delete ${words}`,
  );
  return `${words} to be deleted, once you have reviewed it`;
}

/** Reads the rows that are selected, and stages that they go or stay. */
export function useDeleteRows(typeId: number, columns: readonly EntryColumn[]) {
  const { reason } = useAllowed('deleteEntries');
  const [pending, setPending] = useState(false);
  const deleteRows = async (rows: EntryRows, { top, bottom }: Rows) => {
    const tooMany =
      bottom - top >= MOST_DELETED ? `At most ${count(MOST_DELETED)} rows are deleted at once` : undefined;
    if (reason ?? tooMany) {
      toast({ title: 'Nothing was staged', description: reason ?? tooMany ?? '', tone: 'bad' });
      return;
    }
    setPending(true);
    try {
      announce(turnGoing(typeId, await rowsBetween(rows, top, bottom, []), columns));
    } catch (thrown) {
      const { message: description } = toServiceError(thrown);
      toast({ title: 'The selected rows could not be read', description, tone: 'bad' });
    } finally {
      setPending(false);
    }
  };
  return { reason, pending, deleteRows };
}
