import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { Fragment, useCallback, useEffect, useInsertionEffect, useMemo, useRef, useState, memo } from 'react';
import type { ChangeEvent, FocusEvent, RefObject, UIEvent, ReactNode } from 'react';
import { cx } from '../cx.ts';
import { useDensity } from '../theme.ts';
import { SMALL, useMedia } from '../use-media.ts';
import { ColGroup } from './ColGroup.tsx';
import { visibleColumns } from './columns.ts';
import type { RowId, Column } from './columns.ts';
import type { DataTableProps } from './DataTable.tsx';
import { layoutOf, rowHeight } from './layout.ts';
import { rowKeyDown } from './row-keys.ts';
import { idsOf, useArrivals } from './row-source.ts';
import type { RowSource } from './row-source.ts';
import { useSelection } from './selection.ts';
import { TableHead } from './TableHead.tsx';
import type { MenuItems } from '../menu/menu-items.ts';
import { MenuButton } from '../menu/MenuButton.tsx';
import { SkeletonCells } from './SkeletonCells.tsx';

const HEAD = 35;
// The height that the bulk bar covers, as in table.css.
const BULK = 76;
const NONE: ReadonlySet<RowId> = new Set();
const NO_HIDDEN: readonly string[] = [];
const ignore = () => undefined;

interface GridProps<Row> extends DataTableProps<Row> {
  rows: RowSource<Row>;
}

/** The rows themselves: only those in view are in the document, and one that has the focus. */
export function Grid<Row>(props: GridProps<Row>) {
  const { rows, rowId, rowLabel, rowMenu, sort, onSort, refetching = false, label } = props;
  const { columns: all, hidden = NO_HIDDEN, selection = NONE, onSelect, onAway } = props;
  const small = useMedia(SMALL);
  const density = useDensity();
  const columns = useMemo(() => visibleColumns(all, hidden), [all, hidden]);
  const scroller = useRef<HTMLDivElement>(null);
  const height = rowHeight(density, small);
  const { virtualizer, current, setCurrent, go } = useRows({
    count: rows.length,
    height,
    covered: selection.size > 0 ? BULK : 0,
    scroller,
  });
  useArrivals(rows);
  const idAt = useMemo(() => idsOf(rows, rowId), [rows, rowId]);
  const { state, toggle, toggleAll } = useSelection({
    count: rows.length,
    idAt,
    selection,
    onSelect: onSelect ?? ignore,
  });
  const menuOf = useSteady(rowMenu);
  const head = small ? columns.slice(0, 1) : columns;
  const items = virtualizer.getVirtualItems();
  // Somewhere in view there is always a row that Tab reaches.
  const stop = items.some((item) => item.index === current) ? current : items[0]?.index;
  const focused = (event: FocusEvent) => {
    const row = event.target.closest<HTMLElement>('tr[data-index]');
    if (row) setCurrent(Number(row.dataset.index));
  };
  // One listener for all checkboxes: rows are drawn again only for what they show.
  const changed = ({ target, nativeEvent }: ChangeEvent<HTMLElement>) => {
    const row = target.closest<HTMLElement>('tr[data-index]');
    if (row) toggle(Number(row.dataset.index), nativeEvent instanceof MouseEvent && nativeEvent.shiftKey);
  };

  return (
    <div
      ref={scroller}
      className={cx('tbl-scroll', selection.size > 0 && 'tbl-under-bulk')}
      onScroll={(event) => {
        markScrolled(event);
        onAway?.(event.currentTarget.scrollTop > height);
      }}
      // Back brings the rows that were in view, where the application restores places.
      data-scroll-restoration-id={label}
    >
      <table
        // A table whose rows take the focus and can be selected is a grid (ARIA, "grid").
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-to-interactive-role
        role="grid"
        className="tbl"
        style={{ minWidth: layoutOf(columns, small).minWidth }}
        aria-label={label}
        aria-rowcount={rows.length + 1}
        aria-multiselectable={onSelect ? true : undefined}
        aria-busy={refetching}
      >
        <ColGroup columns={head} small={small} select={onSelect !== undefined} menu={rowMenu !== undefined} />
        <TableHead
          columns={head}
          sort={sort}
          onSort={onSort}
          selecting={onSelect && { state, toggleAll }}
          menu={rowMenu !== undefined}
        />
        {/* Listens for its rows. */}
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
        <tbody
          className={cx(refetching && 'tbl-dim')}
          onChange={changed}
          onFocus={focused}
          onKeyDown={(event) =>
            rowKeyDown(event, {
              count: rows.length,
              page: Math.max(1, Math.floor(((scroller.current?.clientHeight ?? 0) - HEAD) / height) - 1),
              current,
              go,
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
                  current={item.index === stop}
                  selected={onSelect && id !== undefined && selection.has(id)}
                  menu={menuOf}
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

interface Windowed {
  count: number;
  height: number;
  covered: number;
  scroller: RefObject<HTMLDivElement | null>;
}

/** The rows in view and the one the keyboard is on, which stays in the document while it scrolls away. */
function useRows({ count, height, covered, scroller }: Windowed) {
  const [wanted, setCurrent] = useState(0);
  const current = Math.min(wanted, count - 1);
  // The compiler that this library confuses is not used.
  // oxlint-disable-next-line react/incompatible-library
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: 10,
    // Rows are counted from under the header, so what the header takes is missing at the end.
    scrollPaddingEnd: HEAD + covered,
    rangeExtractor: (range) =>
      [...new Set([...defaultRangeExtractor(range), current])].toSorted((a, b) => a - b),
  });

  // The virtualiser keeps sizes; a new density makes them wrong.
  useEffect(() => virtualizer.measure(), [virtualizer, height]);

  const go = (to: number) => {
    setCurrent(to);
    virtualizer.scrollToIndex(to);
    // The row is drawn after this event.
    requestAnimationFrame(() =>
      scroller.current?.querySelector<HTMLElement>(`tr[data-index="${to}"]`)?.focus({ preventScroll: true }),
    );
  };
  return { virtualizer, current, setCurrent, go };
}

/** One function for all renders, so that rows are drawn again only for what they show; it is called in events alone. */
function useSteady<Argument, Result>(
  act: ((argument: Argument) => Result) | undefined,
): ((argument: Argument) => Result) | undefined {
  const latest = useRef(act);
  useInsertionEffect(() => {
    latest.current = act;
  });
  const steady = useCallback((argument: Argument): Result => {
    if (!latest.current) throw new TypeError('Nothing to call');
    return latest.current(argument);
  }, []);
  return act && steady;
}

function Spacer({ height }: { height: number }) {
  return height <= 0 ? null : <tr aria-hidden style={{ height }} />;
}

function markScrolled({ currentTarget }: UIEvent<HTMLElement>) {
  currentTarget.toggleAttribute('data-scrolled', currentTarget.scrollLeft > 0);
}

interface TableRowProps<Row> {
  /** Undefined while it is being fetched. */
  row: Row | undefined;
  index: number;
  label: string;
  columns: readonly Column<Row>[];
  small: boolean;
  /** The row that the keyboard is on. */
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
      {small ? <SmallCell {...{ row, columns, tabIndex }} /> : wideCells(row, columns, tabIndex)}
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

/** Drawn again only when its own row, place or state changes, however fast the table scrolls. */
// `memo` forgets that the component is generic.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
const TableRow = memo(Row) as typeof Row;

function wideCells<Row>(row: Row, columns: readonly Column<Row>[], tabIndex: 0 | -1): ReactNode {
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

/** On a phone: the name and what stands beside it, then one line of facts. */
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
