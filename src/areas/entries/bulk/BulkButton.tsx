import { PencilLine } from 'lucide-react';
import { useState } from 'react';
import { toServiceError } from '../../../api/errors.ts';
import { useAllowed } from '../../../api/session.ts';
import { count } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { toast } from '../../../ui/feedback/toast.ts';
import { rowsBetween } from '../grid/rows-between.ts';
import type { EntryRows } from '../model/rows.ts';
import type { RowQuestion } from '../model/use-rows.ts';
import { useChosenRows } from './chosen.ts';
import { openEntryBulk } from './request.ts';

interface BulkButtonProps {
  typeId: number;
  rows: EntryRows;
  query: RowQuestion['query'];
  /** Whether a search or a filter is on. */
  narrowed: boolean;
}

// As many as the grid holds at once.
const MOST_CHOSEN = 4000;

/** Edits the rows that are selected in the grid; without a selection of several, all that match. */
export function BulkButton({ typeId, rows, query, narrowed }: BulkButtonProps) {
  const { reason } = useAllowed('updateEntries');
  const [pending, setPending] = useState(false);
  const chosen = useChosenRows();
  const some = chosen?.rows === rows ? chosen : undefined;
  const number = some ? some.bottom - some.top + 1 : rows.total;
  const all = number === rows.total;
  const edit = async () => {
    if (!some || all) {
      openEntryBulk({ typeId, scope: { query, total: rows.total }, edit: undefined });
      return;
    }
    setPending(true);
    try {
      const found = await rowsBetween(rows, some.top, some.bottom, []);
      openEntryBulk({ typeId, scope: { ids: found.map(({ EntryId }) => EntryId) }, edit: undefined });
    } catch (thrown) {
      const { message: description } = toServiceError(thrown);
      toast({ title: 'The selected rows could not be read', description, tone: 'bad' });
    } finally {
      setPending(false);
    }
  };
  const many =
    !all && number > MOST_CHOSEN
      ? `A selection has at most ${count(MOST_CHOSEN)} rows; a filter chooses any number`
      : undefined;
  const matching = `Edit all ${count(number)}${narrowed ? ' that match' : ''}`;
  return (
    <Button icon={PencilLine} pending={pending} disabledReason={reason ?? many} onClick={() => void edit()}>
      {all ? matching : `Edit ${count(number)} selected`}
    </Button>
  );
}
