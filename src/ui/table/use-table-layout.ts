import { useEffect, useMemo } from 'react';
import { createStore, useStore } from '../store.ts';
import type { Store } from '../store.ts';
import { overrideDensity } from '../theme.ts';
import type { Column } from './columns.ts';
import { arrangeColumns, parseTableLayout } from './table-layout.ts';
import type { TableLayout } from './table-layout.ts';

const stores = new Map<string, Store<TableLayout>>();
const getKey = (table: string): string => `steward-table-${table}`;

function getStore(table: string): Store<TableLayout> {
  const existing = stores.get(table) ?? createStore(parseTableLayout(localStorage.getItem(getKey(table))));
  stores.set(table, existing);
  return existing;
}

/** Stores the layout of a table in this browser. */
export function saveTableLayout(table: string, layout: TableLayout): void {
  localStorage.setItem(getKey(table), JSON.stringify(layout));
  getStore(table).set(layout);
}

/** The layout of a table, stored in this browser; its row height applies while the table is shown. */
export function useTableLayout(table: string): TableLayout {
  const layout = useStore(getStore(table));
  useEffect(() => overrideDensity(layout.density), [layout.density]);
  return layout;
}

/** The columns as the layout arranges them; their identity changes with the layout only. */
export const useArrangedColumns = <Row>(columns: readonly Column<Row>[], layout: TableLayout) =>
  useMemo(() => arrangeColumns(columns, layout), [columns, layout]);
