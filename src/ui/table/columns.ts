import type { ReactNode } from 'react';
import { parseOrder } from '../../lib/search-params.ts';
import type { Order } from '../../lib/search-params.ts';
import type { Density } from '../style/theme.ts';

export type RowId = string | number;

/** A column. Define columns at module level: rows re-render when the identity of a column changes. */
export interface Column<Row> {
  id: string;
  header: string;
  /** Renders the cell. Pass `tabIndex` to links and buttons: only those of the current row are in the tab order. */
  cell: (row: Row, place: { tabIndex: 0 | -1 }) => ReactNode;
  sortable?: boolean;
  align?: 'end';
  /** Width in pixels; a column without one shares the remaining space, at least `minWidth`. */
  width?: number;
  minWidth?: number;
  /** Whether the user can hide the column; never the first one. */
  hideable?: boolean;
  /** Position on a phone: at the end of the first line, in the second line, or hidden. */
  small?: 'aside' | 'line';
}

export interface Sort {
  column: string;
  direction: 'ascending' | 'descending';
}

/** Returns the columns without hidden ones; the first always stays because it names the row. */
export function getVisibleColumns<Row>(columns: readonly Column<Row>[], hidden: readonly string[]) {
  return columns.filter((column, at) => at === 0 || !hidden.includes(column.id));
}

/** Row heights, as `--row` in tokens.css; the virtualizer needs them before a row is rendered. */
const ROW_HEIGHTS_PX: Record<Density, number> = { compact: 30, regular: 36, comfortable: 44 };
const SMALL_ROW_HEIGHT_PX = 60;
/** Heights of rows of two lines, as `.tbl-two-lines` in table.css. */
const TWO_LINE_HEIGHTS_PX: Record<Density, number> = { compact: 48, regular: 56, comfortable: 66 };
const SELECT_WIDTH_PX = 38;
const MENU_WIDTH_PX = 44;
const MIN_COLUMN_WIDTH_PX = 120;

/** Returns the row height in pixels. */
export function getRowHeight(density: Density, small: boolean, twoLines = false): number {
  if (small) return SMALL_ROW_HEIGHT_PX;
  return (twoLines ? TWO_LINE_HEIGHTS_PX : ROW_HEIGHTS_PX)[density];
}

/**
 * Returns the fixed widths and the minimum width below which the table scrolls sideways. `extras` are the columns of check boxes and
 * menus that the table has.
 */
export function getTableLayout<Row>(
  columns: readonly Column<Row>[],
  small: boolean,
  extras: { select: boolean; menu: boolean },
) {
  const least = columns.map((column) => column.width ?? column.minWidth ?? MIN_COLUMN_WIDTH_PX);
  const others = (extras.select ? SELECT_WIDTH_PX : 0) + (extras.menu ? MENU_WIDTH_PX : 0);
  const sum = least.reduce((total, width) => total + width, others);
  return { select: SELECT_WIDTH_PX, menu: MENU_WIDTH_PX, minWidth: small ? undefined : sum };
}

/**
 * Sort order of a list's view as props of `TableTools` and `DataTable`. The column ids are the keys of the order.
 */
export const getSortProps = <Key extends View['sort']['by'], View extends { sort: Order<string> }>(
  view: View,
  show: (view: View) => void,
  keys: readonly [Key, ...Key[]],
) => ({
  sort: toSort(view.sort),
  onSort: (sort: Sort) => show({ ...view, sort: fromSort(sort, keys) }),
});

const toSort = ({ by, descending }: Order<string>): Sort => ({
  column: by,
  direction: descending ? 'descending' : 'ascending',
});

const fromSort = <Key extends string>(
  { column, direction }: Sort,
  keys: readonly [Key, ...Key[]],
): Order<Key> => parseOrder(`${direction === 'descending' ? '-' : ''}${column}`, keys);
