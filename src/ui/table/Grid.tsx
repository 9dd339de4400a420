import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { Fragment, useCallback, useEffect, useInsertionEffect, useMemo, useRef, useState, memo } from 'react';
import type { ChangeEvent, FocusEvent, RefObject, UIEvent, ReactNode } from 'react';
import { cx } from '../cx.ts';
import type { MenuItems } from '../menu/menu-items.ts';
import { MenuButton } from '../menu/MenuButton.tsx';
import { useDensity } from '../style/theme.ts';
import { SMALL_SCREEN, useMedia } from '../use-media.ts';
import { getVisibleColumns, getTableLayout, getRowHeight } from './columns.ts';
import type { Column, RowId, Sort } from './columns.ts';
import { handleRowClick, handleRowKeyDown } from './row-keys.ts';
import { createIdReader, useRowUpdates } from './row-source.ts';
import type { RowSource } from './row-source.ts';
import { useSelection } from './selection.ts';
import { ColumnWidths, TableHead, SkeletonCells } from './TableParts.tsx';

const HEADER_HEIGHT_PX = 35;
// Height covered by the bulk bar, as in table.css.
const BULK_BAR_HEIGHT_PX = 76;
const NO_SELECTION: ReadonlySet<RowId> = new Set();
const NO_HIDDEN: readonly string[] = [];
const ignore = () => undefined;

export interface GridProps<Row> {
  /** Name of the rows: "Users". */
  label: string;
  columns: readonly Column<Row>[];
  rows: RowSource<Row>;
  /** Returns the id of a row; must be a module constant, like `columns`. */
  rowId: (row: Row) => RowId;
  /** Returns the name of a row, for its checkbox and menu. */
  rowLabel: (row: Row) => string;
  rowMenu?: ((row: Row) => MenuItems) | undefined;
  hidden?: readonly string[];
  sort?: Sort | undefined;
  onSort?: (sort: Sort) => void;
  /** Selected ids; with `onSelect`, rows can be selected. */
  selection?: ReadonlySet<RowId>;
  onSelect?: (next: ReadonlySet<RowId>) => void;
  refetching?: boolean;
  /** Rows of two lines, for things that are weighed rather than scanned. */
  twoLines?: boolean;
  /** Called when the first row leaves the view and when it returns. */
  onScrolledAway?: ((away: boolean) => void) | undefined;
}

/** Virtualized rows: only rows in view and the focused row are in the document. */
export function Grid<Row>(props: GridProps<Row>) {
  const { rows, rowId, rowLabel, rowMenu, sort, onSort, refetching = false, label } = props;
  const { columns: all, hidden = NO_HIDDEN, selection = NO_SELECTION, onSelect, onScrolledAway } = props;
  const small = useMedia(SMALL_SCREEN);
  const density = useDensity();
  const columns = useMemo(() => getVisibleColumns(all, hidden), [all, hidden]);
  const scroller = useRef<HTMLDivElement>(null);
  const height = getRowHeight(density, small, props.twoLines);
  const { virtualizer, current, setCurrent, focusRow } = useVirtualRows({
    count: rows.length,
    height,
    coveredHeight: selection.size > 0 ? BULK_BAR_HEIGHT_PX : 0,
    scroller,
  });
  useRowUpdates(rows);
  const idAt = useMemo(() => createIdReader(rows, rowId), [rows, rowId]);
  const { state, toggle, toggleAll } = useSelection({
    count: rows.length,
    idAt,
    selection,
    onSelect: onSelect ?? ignore,
  });
  const getMenu = useStableCallback(rowMenu);
  const extras = { select: onSelect !== undefined, menu: rowMenu !== undefined };
  const headerColumns = small ? columns.slice(0, 1) : columns;
  const items = virtualizer.getVirtualItems();
  // One visible row is always in the tab order.
  const tabStop = items.some((item) => item.index === current) ? current : items[0]?.index;
  const handleFocus = (event: FocusEvent) => {
    const row = event.target.closest<HTMLElement>('tr[data-index]');
    if (row) setCurrent(Number(row.dataset.index));
  };
  // One listener for all checkboxes, so that rows need no handler props.
  const handleChange = ({ target, nativeEvent }: ChangeEvent<HTMLElement>) => {
    const row = target.closest<HTMLElement>('tr[data-index]');
    if (row) toggle(Number(row.dataset.index), nativeEvent instanceof MouseEvent && nativeEvent.shiftKey);
  };

  return (
    <div
      ref={scroller}
      className={cx('tbl-scroll', selection.size > 0 && 'tbl-under-bulk')}
      onScroll={(event) => {
        markScrolled(event);
        onScrolledAway?.(event.currentTarget.scrollTop > height);
      }}
      // Key under which the router restores the scroll position.
      data-scroll-restoration-id={label}
    >
      <table
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-to-interactive-role -- focusable, selectable rows form an ARIA grid
        role="grid"
        className={cx('tbl', props.twoLines && 'tbl-two-lines')}
        style={{ minWidth: getTableLayout(columns, small, extras).minWidth }}
        aria-label={label}
        aria-rowcount={rows.length + 1}
        aria-multiselectable={onSelect ? true : undefined}
        aria-busy={refetching}
      >
        <ColumnWidths
          columns={headerColumns}
          small={small}
          select={onSelect !== undefined}
          menu={rowMenu !== undefined}
        />
        <TableHead
          columns={headerColumns}
          sort={sort}
          onSort={onSort}
          selecting={onSelect && { state, toggleAll }}
          menu={rowMenu !== undefined}
        />
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- event delegation for the rows */}
        <tbody
          className={cx(refetching && 'tbl-dim')}
          onChange={handleChange}
          onFocus={handleFocus}
          onClick={handleRowClick}
          onKeyDown={(event) =>
            handleRowKeyDown(event, {
              count: rows.length,
              page: Math.max(
                1,
                Math.floor(((scroller.current?.clientHeight ?? 0) - HEADER_HEIGHT_PX) / height) - 1,
              ),
              current,
              focusRow,
              toggle: onSelect && toggle,
            })
          }
        >
          {items.map((item, at) => {
            const row = rows.at(item.index);
            const id = idAt(item.index);
            const gap = item.start - (items[at - 1]?.end ?? 0);
            return (
              <Fragment key={id ?? `at ${item.index}`}>
                <Spacer height={gap} />
                <TableRow
                  row={row}
                  index={item.index}
                  label={row === undefined ? '' : rowLabel(row)}
                  columns={columns}
                  small={small}
                  current={item.index === tabStop}
                  selected={onSelect && id !== undefined && selection.has(id)}
                  menu={getMenu}
                />
              </Fragment>
            );
          })}
          <Spacer height={virtualizer.getTotalSize() - (items.at(-1)?.end ?? 0)} />
        </tbody>
      </table>
    </div>
  );
}

interface VirtualRowsOptions {
  count: number;
  height: number;
  coveredHeight: number;
  scroller: RefObject<HTMLDivElement | null>;
}

/** Virtualizes rows; the row with keyboard focus stays in the document when it is scrolled out of view. */
function useVirtualRows({ count, height, coveredHeight, scroller }: VirtualRowsOptions) {
  const [requestedRow, setCurrent] = useState(0);
  const current = Math.min(requestedRow, count - 1);
  // oxlint-disable-next-line react/incompatible-library -- concerns the React compiler, which is not used
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: 10,
    // Rows start below the sticky header, so its height is missing at the end.
    scrollPaddingEnd: HEADER_HEIGHT_PX + coveredHeight,
    rangeExtractor: (range) =>
      [...new Set([...defaultRangeExtractor(range), current])].toSorted((a, b) => a - b),
  });

  // The virtualizer caches sizes, which change with the density.
  useEffect(() => virtualizer.measure(), [virtualizer, height]);

  const focusRow = (to: number) => {
    setCurrent(to);
    virtualizer.scrollToIndex(to);
    // The row is rendered after this event.
    requestAnimationFrame(() =>
      scroller.current?.querySelector<HTMLElement>(`tr[data-index="${to}"]`)?.focus({ preventScroll: true }),
    );
  };
  return { virtualizer, current, setCurrent, focusRow };
}

/** Returns a callback with a stable identity, so that memoized rows do not re-render; call it only in event handlers. */
function useStableCallback<Argument, Result>(
  callback: ((argument: Argument) => Result) | undefined,
): ((argument: Argument) => Result) | undefined {
  const latest = useRef(callback);
  useInsertionEffect(() => {
    latest.current = callback;
  });
  const stable = useCallback((argument: Argument): Result => {
    if (!latest.current) throw new TypeError('The callback is not set');
    return latest.current(argument);
  }, []);
  return callback && stable;
}

function Spacer({ height }: { height: number }) {
  return height <= 0 ? null : <tr aria-hidden style={{ height }} />;
}

function markScrolled({ currentTarget }: UIEvent<HTMLElement>) {
  currentTarget.toggleAttribute('data-scrolled', currentTarget.scrollLeft > 0);
}

interface TableRowProps<Row> {
  /** Undefined while it is loading. */
  row: Row | undefined;
  index: number;
  label: string;
  columns: readonly Column<Row>[];
  small: boolean;
  /** Whether the row has the keyboard focus or is the tab stop. */
  current: boolean;
  selected: boolean | undefined;
  menu: ((row: Row) => MenuItems) | undefined;
}

function Row<Row>({ row, index, label, columns, small, current, selected, menu }: TableRowProps<Row>) {
  const tabIndex = current ? 0 : -1;
  return (
    <tr
      className={cx('tbl-row', small && 'tbl-row-small')}
      data-index={index}
      tabIndex={tabIndex}
      aria-rowindex={index + 2}
      aria-selected={selected}
      aria-busy={row === undefined ? true : undefined}
    >
      {row === undefined ? (
        <SkeletonCells
          columns={small ? columns.slice(0, 1) : columns}
          index={index}
          select={selected !== undefined}
          menu={menu !== undefined}
        />
      ) : (
        <Cells {...{ row, label, columns, small, tabIndex, selected, menu }} />
      )}
    </tr>
  );
}

type CellsProps<Row> = Omit<TableRowProps<Row>, 'row' | 'index' | 'current'> & { row: Row; tabIndex: 0 | -1 };

function Cells<Row>({ row, label, columns, small, tabIndex, selected, menu }: CellsProps<Row>) {
  return (
    <>
      {selected !== undefined && (
        <td className="tbl-select">
          <input
            type="checkbox"
            className="checkbox"
            aria-label={`Select ${label}`}
            tabIndex={tabIndex}
            checked={selected}
            readOnly
          />
        </td>
      )}
      {small ? <SmallCell {...{ row, columns, tabIndex }} /> : renderCells(row, columns, tabIndex)}
      {menu && (
        <td className="tbl-menu">
          <MenuButton
            label={`Actions for ${label}`}
            size="small"
            tabIndex={tabIndex}
            items={() => menu(row)}
          />
        </td>
      )}
    </>
  );
}

/** Re-renders only when its own row, position or state changes, which keeps scrolling fast. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `memo` drops the type parameter
const TableRow = memo(Row) as typeof Row;

function renderCells<Row>(row: Row, columns: readonly Column<Row>[], tabIndex: 0 | -1): ReactNode {
  return columns.map((column, at) =>
    at === 0 ? (
      <th key={column.id} scope="row" className="tbl-first">
        {column.cell(row, { tabIndex })}
      </th>
    ) : (
      <td key={column.id} className={cx(column.align === 'end' && 'tbl-end')}>
        {column.cell(row, { tabIndex })}
      </td>
    ),
  );
}

interface SmallCellProps<Row> {
  row: Row;
  columns: readonly Column<Row>[];
  tabIndex: 0 | -1;
}

/** Row on a phone: the name with its aside, then a line of facts. */
function SmallCell<Row>({ row, columns, tabIndex }: SmallCellProps<Row>) {
  const place = { tabIndex };
  return (
    <th scope="row" className="tbl-small">
      <div className="tbl-small-top">
        <div className="tbl-small-name">{columns[0]?.cell(row, place)}</div>
        {columns.map(
          (column) => column.small === 'aside' && <div key={column.id}>{column.cell(row, place)}</div>,
        )}
      </div>
      <div className="tbl-small-line">
        {columns.map(
          (column) => column.small === 'line' && <span key={column.id}>{column.cell(row, place)}</span>,
        )}
      </div>
    </th>
  );
}
