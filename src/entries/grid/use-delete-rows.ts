import { useState } from 'react';
import { toServiceError } from '../../api/errors.ts';
import { useAllowed } from '../../api/session.ts';
import { count, counted } from '../../lib/numbers.ts';
import { announce } from '../../ui/feedback/live.ts';
import { toast } from '../../ui/feedback/toast.ts';
import type { EntryColumn } from '../columns.ts';
import { deleteEntriesOf, keepEntriesOf } from '../editing/store.ts';
import type { EntryRows } from '../rows.ts';
import type { Range } from './range.ts';
import { rowsBetween } from './rows-between.ts';
import { deletionOf } from './sheet.ts';
import type { Editing } from './sheet.ts';

/** As many as the grid holds at once. */
export const MOST_DELETED = 4000;

type Rows = Pick<Range, 'top' | 'bottom'>;

/** Stages that the entries of rows go; where all of them are to go already, that they stay. */
export function useDeleteRows({ typeId, changes }: Editing, columns: readonly EntryColumn[]) {
  const { reason } = useAllowed('deleteEntries');
  const [pending, setPending] = useState(false);
  const deleteRows = async (rows: EntryRows, { top, bottom }: Rows) => {
    const number = bottom - top + 1;
    const tooMany =
      number > MOST_DELETED ? `At most ${count(MOST_DELETED)} rows are deleted at once` : undefined;
    if (reason ?? tooMany) {
      toast({ title: 'Nothing was staged', description: reason ?? tooMany ?? '', tone: 'bad' });
      return;
    }
    setPending(true);
    try {
      const there = await rowsBetween(rows, top, bottom, []);
      const ids = there.map(({ EntryId }) => EntryId);
      const words = counted(number, 'entry', 'entries');
      if (ids.every((id) => changes.deletions.has(id))) {
        keepEntriesOf(typeId, ids, `Keep ${words}`);
        announce(`${words} to be kept`);
        return;
      }
      deleteEntriesOf(
        typeId,
        there.map((row) => deletionOf(row, columns)),
        `Delete ${words}`,
      );
      announce(`${words} to be deleted, once you have reviewed it`);
    } catch (thrown) {
      const { message: description } = toServiceError(thrown);
      toast({ title: 'The selected rows could not be read', description, tone: 'bad' });
    } finally {
      setPending(false);
    }
  };
  return { reason, pending, deleteRows };
}
