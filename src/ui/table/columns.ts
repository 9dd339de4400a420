import type { ReactNode } from 'react';

export type RowId = string | number;

/** Hoist columns to module scope: rows are drawn again when a column's identity changes. */
export interface Column<Row> {
  id: string;
  header: string;
  /** Give `tabIndex` to links and buttons in the cell: only the current row's are in the tab order. */
  cell: (row: Row, place: { tabIndex: 0 | -1 }) => ReactNode;
  sortable?: boolean;
  align?: 'end';
  /** In pixels; a column without one shares what is left, at least `minWidth`. */
  width?: number;
  minWidth?: number;
  /** May be hidden by the person; the first column never. */
  hideable?: boolean;
  /** Where it stands on a phone: at the end of the first line, in the second line, or not at all. */
  small?: 'aside' | 'line';
}

export interface Sort {
  column: string;
  direction: 'ascending' | 'descending';
}

/** Takes the hidden columns out; the first one stays, it names the row. */
export function visibleColumns<Row>(columns: readonly Column<Row>[], hidden: readonly string[]) {
  return columns.filter((column, at) => at === 0 || !hidden.includes(column.id));
}
