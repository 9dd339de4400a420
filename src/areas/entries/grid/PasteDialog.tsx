import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { toServiceError } from '../../../api/errors.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Dialog } from '../../../ui/dialog/Dialog.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { Toggle } from '../../../ui/form/Toggle.tsx';
import { stageCells } from '../editing/change-set-store.ts';
import { getStagedEntryName } from '../editing/grid-editing.ts';
import type { GridEditing } from '../editing/grid-editing.ts';
import { fillRange, planPaste, toStagedCells } from '../editing/paste.ts';
import type { PasteCell, PasteRow } from '../editing/paste.ts';
import type { EntryColumn } from '../model/columns.ts';
import { useUserFinder } from '../model/field-users.ts';
import { loadFullRange } from '../model/full-values.ts';
import type { EntryRows } from '../model/row-windows.ts';
import type { Field } from '../model/schema.ts';
import { formatValue } from '../model/values.ts';
import { useTimeZone } from '../model/zone.ts';
import './paste.css';
import type { PendingPaste } from './use-clipboard.ts';

interface PasteDialogProps {
  pendingPaste: PendingPaste;
  rows: EntryRows;
  columns: readonly EntryColumn[];
  editing: GridEditing;
  onClose: () => void;
}

const MAX_PREVIEW_ROWS = 100;

/** Dialog that shows what a paste changes before it is staged. */
export default function PasteDialog({ pendingPaste, rows, columns, editing, onClose }: PasteDialogProps) {
  const block = useMemo(() => fillRange(pendingPaste.block, pendingPaste.range), [pendingPaste]);
  const { top, left } = pendingPaste.range;
  const height = block.texts.length;
  const width = Math.max(0, ...block.texts.map(({ length }) => length));
  const fields = columns.slice(left, left + width).map(({ field }) => field);
  const newRowCount = Math.max(0, top + height - rows.total);
  const [addsEntries, setAddsEntries] = useState(false);
  const findUsers = useUserFinder();
  const lowestNewId = Math.min(0, ...editing.changes.cells.keys());

  const { data: plan, error } = useQuery({
    queryKey: ['paste', pendingPaste, editing.zone],
    async queryFn() {
      const targetRows = await loadFullRange(rows, top, Math.min(rows.total, top + height) - 1, fields);
      const existing = targetRows.map((row): PasteRow => ({
        entryId: row.EntryId,
        entryName: getStagedEntryName(row, columns),
        row,
      }));
      const added = Array.from({ length: newRowCount }, (_, index): PasteRow => ({
        entryId: lowestNewId - 1 - index,
        entryName: `New entry ${index + 1 - lowestNewId}`,
        row: undefined,
        isNew: true,
      }));
      const { schema, changes, zone } = editing;
      const sources = { schema, findUsers };
      return planPaste({ sources, changes, zone, block, fields, rows: [...existing, ...added] });
    },
    gcTime: 0,
    staleTime: Infinity,
  });
  const cells = useMemo(
    () => plan?.filter(({ target }) => addsEntries || !target.isNew) ?? [],
    [plan, addsEntries],
  );
  const staged = useMemo(() => toStagedCells(cells), [cells]);
  const invalidCount = cells.filter(({ outcome }) => 'error' in outcome).length;
  const lockedCount = cells.filter(({ outcome }) => 'locked' in outcome).length;
  const sameCount = cells.length - staged.length - invalidCount - lockedCount;
  const droppedColumns = width - fields.length;
  const stageAll = () => {
    stageCells(editing.typeId, staged, `Paste ${pluralize(staged.length, 'cell', 'cells')}`);
    onClose();
  };
  return (
    <Dialog
      title={`Paste ${formatNumber(height)} × ${formatNumber(width)} cells`}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            disabledReason={(plan || error) && staged.length === 0 ? 'Nothing would change' : undefined}
            pending={!plan && !error}
            onClick={stageAll}
          >
            {invalidCount > 0
              ? `Stage the ${formatNumber(staged.length)} valid ones`
              : `Stage ${pluralize(staged.length, 'change', 'changes')}`}
          </Button>
        </>
      }
    >
      {error && (
        <Banner tone="bad" title="The paste could not be prepared">
          {toServiceError(error).message}
        </Banner>
      )}
      {!plan && !error && <SkeletonRows rows={4} />}
      {plan && (
        <>
          <p aria-live="polite">
            {[
              pluralize(staged.length, 'cell changes', 'cells change'),
              sameCount > 0 && `${formatNumber(sameCount)} stay the same`,
              lockedCount > 0 && `${formatNumber(lockedCount)} cannot be edited and stay unchanged`,
              invalidCount > 0 && `${pluralize(invalidCount, 'is', 'are')} not valid and left out`,
              droppedColumns > 0 &&
                `${pluralize(droppedColumns, 'column is', 'columns are')} beyond the last column and left out`,
            ]
              .filter(Boolean)
              .join(', ')}
            . Nothing is saved before you review it.
          </p>
          {newRowCount > 0 && (
            <Toggle
              kind="checkbox"
              id="paste-new"
              checked={addsEntries}
              onChange={setAddsEntries}
              label={`Add new entries for the ${pluralize(newRowCount, 'row', 'rows')} below the last entry`}
            />
          )}
          <Preview plan={cells} fields={fields} />
        </>
      )}
    </Dialog>
  );
}

interface PreviewProps {
  plan: readonly PasteCell[];
  fields: readonly Field[];
}

/** The cells of the paste by row; rows with invalid cells come first. */
function Preview({ plan, fields }: PreviewProps) {
  const byRow = [...Map.groupBy(plan, ({ target }) => target).entries()];
  const hasErrors = ([, cells]: (typeof byRow)[number]) => cells.some(({ outcome }) => 'error' in outcome);
  const ordered = [...byRow.filter(hasErrors), ...byRow.filter((row) => !hasErrors(row))];
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- focusable, so that the keyboard can scroll it
    <section className="paste-scroll" aria-label="Preview" tabIndex={0}>
      <table className="paste-table">
        <thead>
          <tr>
            <th scope="col">Entry</th>
            {fields.map((field) => (
              <th key={field.id} scope="col">
                {field.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {ordered.slice(0, MAX_PREVIEW_ROWS).map(([to, cells]) => (
            <tr key={to.entryId}>
              <th scope="row">
                <bdi>{to.entryName}</bdi>
              </th>
              {cells.map((cell) => (
                <PreviewCell key={cell.field.id} cell={cell} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {ordered.length > MAX_PREVIEW_ROWS && (
        <p>and {formatNumber(ordered.length - MAX_PREVIEW_ROWS)} more rows</p>
      )}
    </section>
  );
}

const MAX_PREVIEW_CHARS = 80;

function PreviewCell({ cell: { outcome, text, before, field } }: { cell: PasteCell }) {
  const { name: zone } = useTimeZone();
  if ('error' in outcome)
    return (
      <td className="paste-error">
        <bdi>{text.slice(0, MAX_PREVIEW_CHARS)}</bdi>
        <span>{outcome.error}</span>
      </td>
    );
  if ('locked' in outcome)
    return (
      <td className="paste-same" title={outcome.locked}>
        <bdi>{formatValue(before, field, zone).slice(0, MAX_PREVIEW_CHARS)}</bdi>
      </td>
    );
  const oldText = formatValue(before, field, zone).slice(0, MAX_PREVIEW_CHARS);
  const newText = formatValue(outcome.value, field, zone).slice(0, MAX_PREVIEW_CHARS);
  if (outcome.isSame)
    return (
      <td className="paste-same">
        <bdi>{newText}</bdi>
      </td>
    );
  return (
    <td>
      {oldText !== '' && <del>{oldText}</del>} <ins>{newText === '' ? 'no data' : newText}</ins>
    </td>
  );
}
