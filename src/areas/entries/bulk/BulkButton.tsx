import { PencilLine } from 'lucide-react';
import { useState } from 'react';
import { toServiceError } from '../../../api/errors.ts';
import { usePermission } from '../../../api/session.ts';
import { formatNumber } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { toast } from '../../../ui/toast.ts';
import type { RowQuery } from '../model/entry-rows.ts';
import { loadFullRange } from '../model/full-values.ts';
import type { EntryRows } from '../model/row-windows.ts';
import { openEntryBulk } from './request.ts';
import { useSelectedStoredRows } from './selected-rows.ts';

interface BulkButtonProps {
  typeId: number;
  rows: EntryRows;
  query: RowQuery['query'];
  /** Whether a search or a filter is active. */
  isFiltered: boolean;
}

// The grid holds this many rows at once.
const MAX_SELECTED_ROWS = 4000;

/** Edits the selected rows, or all matching ones unless several are selected. */
export function BulkButton({ typeId, rows, query, isFiltered }: BulkButtonProps) {
  const { reason } = usePermission('updateEntries');
  const [pending, setPending] = useState(false);
  const selection = useSelectedStoredRows();
  const range = selection?.rows === rows ? selection : undefined;
  const count = range ? range.bottom - range.top + 1 : rows.total;
  const isAll = count === rows.total;
  const edit = async () => {
    if (!range || isAll) {
      openEntryBulk({ typeId, scope: { query, total: rows.total }, edit: undefined });
      return;
    }
    setPending(true);
    try {
      const rangeRows = await loadFullRange(rows, range.top, range.bottom, []);
      openEntryBulk({ typeId, scope: { ids: rangeRows.map(({ EntryId }) => EntryId) }, edit: undefined });
    } catch (thrown) {
      const { message: description } = toServiceError(thrown);
      toast({ title: 'The selected rows could not be loaded', description, tone: 'bad' });
    } finally {
      setPending(false);
    }
  };
  const tooManyReason =
    !isAll && count > MAX_SELECTED_ROWS
      ? `Select at most ${formatNumber(MAX_SELECTED_ROWS)} rows, or use a filter for more`
      : undefined;
  const allLabel = `Edit all ${formatNumber(count)}${isFiltered ? ' that match' : ''}`;
  return (
    <Button
      icon={PencilLine}
      pending={pending}
      disabledReason={reason ?? tooManyReason}
      onClick={() => void edit()}
    >
      {isAll ? allLabel : `Edit ${formatNumber(count)} selected`}
    </Button>
  );
}
