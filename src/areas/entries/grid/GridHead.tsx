import { ArrowDown, ArrowUp } from 'lucide-react';
import { useRef } from 'react';
import type { KeyboardEvent, PointerEvent } from 'react';
import { cx } from '../../../ui/cx.ts';
import { clampColumnWidth, isSortable } from '../model/columns.ts';
import type { EntryColumn } from '../model/columns.ts';
import { FieldIcon } from '../model/FieldIcon.tsx';
import { isEndAligned } from '../model/values.ts';
import { getAction } from './key-bindings.ts';
import { useColumnDrag } from './use-column-drag.ts';
import { getRenderedColumns, getStickyOffsets } from './viewport/viewport.ts';
import type { ColumnWindow } from './viewport/viewport.ts';

/** Columns, order and the changes that headers make to them. */
export interface ColumnActions {
  /** Visible columns; the first is the key column. */
  columns: readonly EntryColumn[];
  sort: { field: string; descending: boolean };
  onSort: (name: string) => void;
  onResize: (name: string, width: number) => void;
  /** Drops a column before the visible column at an index; the key column is 0. */
  onMoveColumn: (name: string, target: number) => void;
}

interface GridHeadProps extends ColumnActions {
  span: ColumnWindow;
  frozen: number;
  numberWidth: number;
  width: number;
  isSmall: boolean;
  /** Column of the tab stop while the focus is in the header. */
  tabStop: number | undefined;
  /** The focused column stays rendered outside the view, at `focusedColumnLeft` pixels. */
  focusedColumn: number | undefined;
  focusedColumnLeft: number;
}

const KEYS_DESCRIPTION = 'Alt and the left or right arrow key resize the column; with Shift they move it.';

/** Header of the grid; on small screens only for screen readers, since rows have one cell there. */
export function GridHead(props: GridHeadProps) {
  const {
    columns,
    sort,
    span,
    frozen,
    numberWidth,
    width,
    isSmall,
    tabStop,
    focusedColumn,
    focusedColumnLeft,
    ...actions
  } = props;
  const widths = columns.map((column) => column.width);
  const { drag, onPointerDown, ...pointer } = useColumnDrag({
    widths,
    frozen,
    numberWidth,
    onMoveColumn: actions.onMoveColumn,
  });
  if (isSmall)
    return (
      <thead className="visually-hidden">
        <tr aria-rowindex={1}>
          <th scope="col">{columns[0]?.field.name}</th>
        </tr>
      </thead>
    );
  const direction = sort.descending ? 'descending' : 'ascending';
  const stickyOffsets = getStickyOffsets(columns.slice(0, frozen), numberWidth);
  const isOutOfView = (columnIndex: number) =>
    columnIndex >= frozen && (columnIndex < span.first || columnIndex >= span.end);
  const cell = (column: EntryColumn, columnIndex: number) => (
    <HeadCell
      key={column.field.id}
      {...actions}
      {...{ column, columnIndex }}
      stickyLeft={stickyOffsets[columnIndex]}
      detachedLeft={isOutOfView(columnIndex) ? focusedColumnLeft : undefined}
      isDragged={drag?.name === column.field.apiName}
      onDragStart={columnIndex === 0 ? undefined : onPointerDown}
      isLastFrozen={columnIndex === frozen - 1}
      isTabStop={tabStop === columnIndex}
      sorted={sort.field === column.field.apiName ? direction : undefined}
    />
  );
  return (
    <thead className={cx('eg-head', drag && 'eg-head-dragging')} style={{ width }} {...pointer}>
      <tr aria-rowindex={1}>
        <th
          scope="col"
          className="eg-cell eg-head-cell eg-number"
          style={{ width: numberWidth }}
          aria-colindex={1}
        >
          <span className="visually-hidden">Row</span>
          <span id={KEYS_DESCRIPTION_ID} hidden>
            {KEYS_DESCRIPTION}
          </span>
        </th>
        {columns.slice(0, frozen).map(cell)}
        <td aria-hidden className="eg-spacer" style={{ width: span.before }} />
        {getRenderedColumns(span, focusedColumn, frozen).map((columnIndex) => {
          const column = columns[columnIndex];
          return column && cell(column, columnIndex);
        })}
        {drag && <td aria-hidden className="eg-drop" style={{ left: drag.x - 1 }} />}
      </tr>
    </thead>
  );
}

interface HeadCellProps {
  column: EntryColumn;
  /** From 0, without the column of row numbers. */
  columnIndex: number;
  /** Left offset in pixels of a frozen column. */
  stickyLeft: number | undefined;
  /** Left offset in pixels of a focused column outside the view, which stays rendered. */
  detachedLeft: number | undefined;
  /** Whether it is the last frozen column. */
  isLastFrozen: boolean;
  /** Whether the pointer drags it. */
  isDragged: boolean;
  onDragStart: ((event: PointerEvent<HTMLElement>, name: string) => void) | undefined;
  isTabStop: boolean;
  sorted: 'ascending' | 'descending' | undefined;
  onSort: (name: string) => void;
  onResize: (name: string, width: number) => void;
  onMoveColumn: (name: string, at: number) => void;
}

const RESIZE_STEP_PX = 16;
/** Id of the description of the keys of column headers, which the grid contains once. */
const KEYS_DESCRIPTION_ID = 'entry-grid-head-keys';

/** Header of a column: sorts on click, moves by dragging, resizes at its edge; by keyboard with Alt, Shift and arrow keys. */
function HeadCell(props: HeadCellProps) {
  const {
    column,
    columnIndex,
    stickyLeft,
    detachedLeft,
    isLastFrozen,
    isDragged,
    isTabStop,
    sorted,
    onDragStart,
    onSort,
    onResize,
    onMoveColumn,
  } = props;
  const { field, width } = column;
  const canSort = isSortable(field);
  const Arrow = sorted === 'descending' ? ArrowDown : ArrowUp;
  const handleKeyDown = (event: KeyboardEvent) => {
    const action = getAction(event);
    if (action !== 'resize' && action !== 'place') return;
    event.preventDefault();
    event.stopPropagation();
    const direction = event.key.endsWith('Right') ? 1 : -1;
    // Moving right drops the column behind the next one.
    if (action === 'place') onMoveColumn(field.apiName, direction > 0 ? columnIndex + 2 : columnIndex - 1);
    else onResize(field.apiName, clampColumnWidth(width + direction * RESIZE_STEP_PX));
  };
  return (
    <th
      scope="col"
      className={cx(
        'eg-cell eg-head-cell',
        stickyLeft !== undefined && 'eg-frozen',
        detachedLeft !== undefined && 'eg-detached',
        isDragged && 'eg-dragged',
        isLastFrozen && 'eg-frozen-last',
        isEndAligned(field) && 'eg-end',
      )}
      style={{ width, left: stickyLeft ?? detachedLeft }}
      aria-colindex={columnIndex + 2}
      aria-sort={sorted}
      title={`${field.name} (${field.apiName})`}
      tabIndex={-1}
    >
      <button
        type="button"
        className={cx('eg-sort', sorted && 'eg-sorted')}
        data-row={-1}
        data-column={columnIndex}
        tabIndex={isTabStop ? 0 : -1}
        aria-disabled={canSort ? undefined : true}
        aria-describedby={KEYS_DESCRIPTION_ID}
        onKeyDown={handleKeyDown}
        onPointerDown={(event) => onDragStart?.(event, field.apiName)}
        onClick={() => {
          if (canSort) onSort(field.apiName);
        }}
      >
        <FieldIcon field={field} />
        <span>{field.name}</span>
        {canSort && <Arrow className="eg-arrow" />}
      </button>
      <ResizeHandle width={width} onResize={(next) => onResize(field.apiName, next)} />
    </th>
  );
}

/** Edge for resizing by pointer; the keyboard resizes with Alt and arrow keys. */
function ResizeHandle({ width, onResize }: { width: number; onResize: (width: number) => void }) {
  const start = useRef<{ x: number; width: number }>(undefined);
  return (
    <span
      className="eg-resize"
      aria-hidden
      onPointerDown={(event: PointerEvent) => {
        start.current = { x: event.clientX, width };
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => {
        if (start.current) onResize(clampColumnWidth(start.current.width + event.clientX - start.current.x));
      }}
      onPointerUp={() => {
        start.current = undefined;
      }}
    />
  );
}
