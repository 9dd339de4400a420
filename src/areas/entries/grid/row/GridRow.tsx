import { memo } from 'react';
import type { RowVm } from '../../../../../contract/generated/types.gen.ts';
import { formatNumber } from '../../../../lib/numbers.ts';
import { cx } from '../../../../ui/cx.ts';
import { getDeletionKey } from '../../editing/change-set.ts';
import type { EntryCells } from '../../editing/change-set.ts';
import { getRowErrors } from '../../editing/grid-editing.ts';
import type { GridEditing } from '../../editing/grid-editing.ts';
import type { RowChange } from '../../history/row-changes.ts';
import type { EntryColumn } from '../../model/columns.ts';
import { getRenderedColumns, getStickyOffsets } from '../viewport/viewport.ts';
import type { ColumnWindow } from '../viewport/viewport.ts';
import { GridCell } from './GridCell.tsx';
import type { OpenCellState } from './GridCell.tsx';

interface GridRowProps {
  /** Undefined while it is loading. */
  row: RowVm | undefined;
  index: number;
  y: number;
  /** Name of the entry type in URLs. */
  type: string;
  columns: readonly EntryColumn[];
  span: ColumnWindow;
  /** Number of frozen columns. */
  frozen: number;
  numberWidth: number;
  /** Column of the tab stop in this row. */
  tabStop: number | undefined;
  /** The focused column stays rendered outside the view with its editor, at `focusedColumnLeft` pixels. */
  focusedColumn: number | undefined;
  focusedColumnLeft: number;
  zone: GridEditing['zone'];
  refusal: GridEditing['refusal'];
  /** Staged cells of the entry. */
  staged: EntryCells | undefined;
  /** Whether a deletion of the entry is staged. */
  isPendingDeletion: boolean;
  /** Only set for rows with staged changes, so that others do not render again when something is staged. */
  editing: GridEditing | undefined;
  /** Columns of the selected range. */
  rangeLeft: number | undefined;
  rangeRight: number | undefined;
  open: OpenCellState | undefined;
  /** Whether the URL points at the entry, and at which column. */
  isTarget: boolean;
  targetColumn: number | undefined;
  /** How the entry changed since `asOf`. */
  change: RowChange | undefined;
  asOf: string | undefined;
}

function Row(props: GridRowProps) {
  const {
    row,
    index,
    y,
    type,
    columns,
    span,
    frozen,
    numberWidth,
    tabStop,
    staged,
    isPendingDeletion,
    editing,
    rangeLeft,
    rangeRight,
    open,
    change,
  } = props;
  const stickyOffsets = getStickyOffsets(columns.slice(0, frozen), numberWidth);
  const isNew = row !== undefined && row.EntryId < 0;
  const errors = row && editing && !isPendingDeletion ? getRowErrors(row, columns, editing) : undefined;
  const deletionError =
    row && isPendingDeletion ? editing?.changes.errors.get(getDeletionKey(row.EntryId)) : undefined;
  const isOutOfView = (columnIndex: number) =>
    columnIndex >= frozen && (columnIndex < span.first || columnIndex >= span.end);
  const cell = (column: EntryColumn, columnIndex: number) => (
    <GridCell
      key={column.field.id}
      {...{ row, column, columnIndex, rowIndex: index, type }}
      zone={props.zone}
      refusal={props.refusal}
      isTabStop={tabStop === columnIndex}
      isTarget={props.targetColumn === columnIndex}
      stickyLeft={stickyOffsets[columnIndex]}
      detachedLeft={isOutOfView(columnIndex) ? props.focusedColumnLeft : undefined}
      isLastFrozen={columnIndex === frozen - 1}
      staged={staged?.get(column.field.id)}
      error={errors?.get(column.field.id) ?? (columnIndex === 0 ? deletionError : undefined)}
      isPendingDeletion={isPendingDeletion}
      isSelected={
        rangeLeft !== undefined &&
        rangeRight !== undefined &&
        columnIndex >= rangeLeft &&
        columnIndex <= rangeRight
      }
      open={open?.column === columnIndex ? open : undefined}
      change={columnIndex === 0 ? change : undefined}
      currentValue={change?.currentValues.get(column.field.apiName)}
      asOf={props.asOf}
    />
  );
  return (
    <tr
      className={cx(
        'eg-row',
        open && 'eg-row-open',
        isPendingDeletion && 'eg-pending-deletion',
        props.isTarget && 'eg-row-target',
        change && `eg-${change.state}`,
      )}
      style={{ transform: `translateY(${y}px)` }}
      aria-rowindex={index + 2}
      aria-current={props.isTarget || undefined}
      aria-busy={row === undefined ? true : undefined}
    >
      <td className="eg-cell eg-number num" style={{ width: numberWidth }} aria-colindex={1}>
        {isNew ? 'New' : formatNumber(index + 1)}
      </td>
      {columns.slice(0, frozen).map(cell)}
      <td aria-hidden className="eg-spacer" style={{ width: span.before }} />
      {getRenderedColumns(span, props.focusedColumn, frozen).map((columnIndex) => {
        const column = columns[columnIndex];
        return column && cell(column, columnIndex);
      })}
    </tr>
  );
}

/** A row of the grid, memoized so that scrolling renders only new rows. */
export const GridRow = memo(Row);
