import { memo } from 'react';
import type { FieldValue, RowVm } from '../../../../../contract/generated/types.gen.ts';
import { cx } from '../../../../ui/cx.ts';
import type { StagedCell, InvalidInput } from '../../editing/change-set.ts';
import { CellNote } from '../../editing/editor/CellNote.tsx';
import type { CommitMove } from '../../editing/editor/editor-props.ts';
import { Editor } from '../../editing/editor/Editor.tsx';
import { getLockedReason } from '../../editing/value-rules.ts';
import type { RowChange } from '../../history/row-changes.ts';
import type { EntryColumn } from '../../model/columns.ts';
import { isTruncated } from '../../model/full-values.ts';
import type { Field, Schema } from '../../model/schema.ts';
import { isSameValue, isEndAligned, getValue } from '../../model/values.ts';
import { CellValue } from './CellValue.tsx';
import { RowChangeBadge, CurrentValueNote } from './CellValue.tsx';
import './cell-states.css';
import { EntryLink, NewEntryName } from './EntryLink.tsx';

interface GridCellProps {
  row: RowVm | undefined;
  column: EntryColumn;
  /** From 0, without the column of row numbers. */
  columnIndex: number;
  rowIndex: number;
  type: string;
  zone: string;
  /** Why the user cannot edit entries; undefined if permitted. */
  refusal: string | undefined;
  isTabStop: boolean;
  /** Whether the URL points at the cell. */
  isTarget: boolean;
  /** Left offset in pixels of a frozen column. */
  stickyLeft: number | undefined;
  /** Left offset in pixels of a focused column outside the view, which stays rendered. */
  detachedLeft: number | undefined;
  /** Whether it is in the last frozen column. */
  isLastFrozen: boolean;
  staged: StagedCell | undefined;
  error: string | undefined;
  /** Whether a deletion of the entry is staged. */
  isPendingDeletion: boolean;
  isSelected: boolean;
  open: OpenCellState | undefined;
  /** Change of the entry since the displayed time; only for the key cell. */
  change: RowChange | undefined;
  /** Current value of the field if it differs from the displayed one. */
  currentValue: { value: FieldValue | undefined } | undefined;
  asOf: string | undefined;
}

const MAX_TEXT_CHARS = 300;
const CELL_PADDING = 20;

/** Whether the row has this value, compared as far as it is loaded. */
function hasValue(row: RowVm, field: EntryColumn['field'], value: FieldValue | undefined): boolean {
  const rowValue = getValue(row, field);
  const isPart = typeof rowValue === 'string' && typeof value === 'string' && isTruncated(row, field);
  return isPart ? value.startsWith(rowValue) : isSameValue(rowValue, value);
}

/** State of a cell as a note: staged, invalid, in conflict or to be deleted. */
function getCellNote({
  row,
  column: { field },
  columnIndex,
  staged,
  error,
  isPendingDeletion,
}: GridCellProps) {
  if (isPendingDeletion) {
    const text = error === undefined ? 'To be deleted, not saved' : `Not deleted: ${error}`;
    return columnIndex === 0 ? { className: error === undefined ? '' : 'eg-invalid', text } : undefined;
  }
  const hasConflict =
    staged && row && !hasValue(row, field, staged.before) && !hasValue(row, field, staged.value);
  if (error !== undefined) return { className: 'eg-invalid', text: error };
  if (hasConflict) return { className: 'eg-conflict', text: 'Someone else changed this value' };
  if (!staged) return undefined;
  return { className: 'eg-staged', text: staged.entryId < 0 ? 'New, not saved' : 'Changed, not saved' };
}

function Cell(props: GridCellProps) {
  const {
    row,
    column,
    columnIndex,
    rowIndex,
    type,
    zone,
    isTabStop,
    stickyLeft,
    detachedLeft,
    isLastFrozen,
    staged,
    error,
    isSelected,
    open,
    change,
    currentValue,
  } = props;
  const { field, width } = column;
  const Tag = columnIndex === 0 ? 'th' : 'td';
  const value = staged ? staged.value : row && getValue(row, field);
  const note = getCellNote(props);
  const isOpen = open !== undefined;
  return (
    <Tag
      scope={columnIndex === 0 ? 'row' : undefined}
      className={cx(
        'eg-cell',
        columnIndex === 0 && 'eg-key',
        isEndAligned(field) && 'eg-end',
        stickyLeft !== undefined && 'eg-frozen',
        detachedLeft !== undefined && 'eg-detached',
        isLastFrozen && 'eg-frozen-last',
        isSelected && 'eg-selected',
        props.isTarget && 'eg-target',
        note?.className,
        change && 'eg-with-badge',
        currentValue && 'eg-differs',
        isOpen && 'eg-open',
        open?.refusal !== undefined && 'eg-read-only',
      )}
      style={{ width, left: stickyLeft ?? detachedLeft }}
      title={note?.text}
      aria-colindex={columnIndex + 2}
      aria-current={props.isTarget || undefined}
      aria-selected={isSelected || undefined}
      aria-readonly={
        props.refusal !== undefined ||
        props.isPendingDeletion ||
        getLockedReason(field) !== undefined ||
        undefined
      }
      aria-invalid={error === undefined ? undefined : true}
      data-row={rowIndex}
      data-column={columnIndex}
      tabIndex={isTabStop ? 0 : -1}
    >
      {row && open?.refusal === undefined && open && <EditableCell open={open} field={field} />}
      {row && (!open || open.refusal !== undefined) && (
        <>
          {staged?.invalidInput ? (
            staged.invalidInput.text.slice(0, MAX_TEXT_CHARS)
          ) : columnIndex === 0 && row.EntryId < 0 ? (
            <NewEntryName {...{ column, value }} />
          ) : columnIndex === 0 ? (
            <EntryLink {...{ row, type, column, value }} asOf={props.asOf} />
          ) : currentValue ? (
            <span className="eg-past-value">
              <CellValue {...{ value, field, zone }} />
            </span>
          ) : (
            <CellValue {...{ value, field, zone }} availableWidth={width - CELL_PADDING} />
          )}
          {currentValue && <CurrentValueNote {...{ currentValue, field, zone }} />}
          {change && <RowChangeBadge change={change} />}
          {note && <span className="visually-hidden">, {note.text}</span>}
          {open?.refusal !== undefined && <Refusal text={open.refusal} />}
        </>
      )}
    </Tag>
  );
}

/** A cell of an entry; the key cell is the row header. Memoized, so that scrolling renders only new cells. */
export const GridCell = memo(Cell);

/** State of an open cell. */
export interface OpenCellState {
  column: number;
  value: FieldValue | undefined;
  seed: string | undefined;
  invalidInput: InvalidInput | undefined;
  /** Why the cell cannot be edited; then only the reason is shown. */
  refusal: string | undefined;
  schema: Schema;
  onCommit: (value: FieldValue | undefined, move: CommitMove) => void;
  onInvalidInput: (invalidInput: InvalidInput) => void;
  /** Called on Escape; the focus returns to the cell. */
  onCancel: () => void;
}

/** The editor of an open cell. */
const EditableCell = ({ open, field }: { open: OpenCellState; field: Field }) => (
  <div className="eg-editing">
    <Editor
      key={field.id}
      inCell
      field={field}
      schema={open.schema}
      value={open.value}
      typedText={open.seed}
      invalidInput={open.invalidInput}
      onCommit={open.onCommit}
      onInvalidInput={open.onInvalidInput}
      onCancel={open.onCancel}
    />
  </div>
);

/** The reason why a cell cannot be edited; screen readers announced it already. */
const Refusal = ({ text }: { text: string }) => (
  <CellNote className="eg-refusal" hidden>
    {text}
  </CellNote>
);
