import { Trash2 } from 'lucide-react';
import { count } from '../../lib/numbers.ts';
import { Button } from '../../ui/button/Button.tsx';
import { useSelectedRows } from '../bulk/chosen.ts';
import type { EntryColumn } from '../columns.ts';
import type { Editing } from './sheet.ts';
import { MOST_DELETED, useDeleteRows } from './use-delete-rows.ts';

/** Stages that the rows that are selected in the grid go. */
export function DeleteChosen({ editing, columns }: { editing: Editing; columns: readonly EntryColumn[] }) {
  const { reason, pending, deleteRows } = useDeleteRows(editing.typeId, columns);
  const chosen = useSelectedRows();
  if (!chosen) return null;
  const { rows, top, bottom } = chosen;
  const number = bottom - top + 1;
  const tooMany =
    number > MOST_DELETED ? `At most ${count(MOST_DELETED)} rows are deleted at once` : undefined;
  const isGoing =
    tooMany === undefined &&
    Array.from({ length: number }, (_, at) => rows.at(top + at)).every(
      (row) => row && editing.changes.deletions.has(row.EntryId),
    );
  return (
    <Button
      size="small"
      icon={Trash2}
      pending={pending}
      disabledReason={reason ?? tooMany}
      onClick={() => void deleteRows(rows, chosen)}
    >
      {isGoing ? 'Keep' : 'Delete'} {count(number)} selected
    </Button>
  );
}
