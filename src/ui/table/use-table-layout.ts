import { useEffect, useMemo } from 'react';
import { saveLocally } from '../../lib/local-storage.ts';
import { createStore, useStore } from '../store.ts';
import type { Store } from '../store.ts';
import { overrideDensity } from '../style/theme.ts';
import type { Column } from './columns.ts';
import { arrangeColumns, parseTableLayout } from './table-layout.ts';
import type { TableLayout } from './table-layout.ts';

interface TableSettingFormat<Value> {
  /** Start of the storage key; the table's name follows. */
  prefix: string;
  parse: (stored: string | null) => Value;
  format: (value: Value) => string;
  /** Reads what an earlier version stored for a table, in the present format. */
  readFormer?: (table: string) => string | null;
}

/** A setting that this browser stores for each table. Storage is read once for each table. */
function createTableSetting<Value>({ prefix, parse, format, readFormer }: TableSettingFormat<Value>) {
  const stores = new Map<string, Store<Value>>();
  const read = (table: string): string | null =>
    localStorage.getItem(prefix + table) ?? readFormer?.(table) ?? null;
  const getStore = (table: string): Store<Value> => {
    const existing = stores.get(table) ?? createStore(parse(read(table)));
    stores.set(table, existing);
    return existing;
  };
  const save = (table: string, value: Value): void => {
    saveLocally(prefix + table, format(value));
    getStore(table).set(value);
  };
  return { getStore, save };
}

const layouts = createTableSetting<TableLayout>({
  prefix: 'steward-table-',
  parse: parseTableLayout,
  format: JSON.stringify,
});

const SEPARATOR = ',';
const FORMER_SEPARATOR = '-';
const hiddenColumns = createTableSetting<readonly string[] | undefined>({
  prefix: 'steward-hidden-',
  parse: (stored) => stored?.split(SEPARATOR).filter((id) => id !== ''),
  format: (ids = []) => ids.join(SEPARATOR),
  // Users and activity had keys and a separator of their own.
  readFormer: (table) =>
    localStorage.getItem(`steward-${table}-hidden`)?.replaceAll(FORMER_SEPARATOR, SEPARATOR) ?? null,
});

/** Stores the layout of a table in this browser. */
export const saveTableLayout = layouts.save;

/** The layout of a table, stored in this browser; its row height applies while the table is shown. */
export function useTableLayout(table: string): TableLayout {
  const layout = useStore(layouts.getStore(table));
  useEffect(() => overrideDensity(layout.density), [layout.density]);
  return layout;
}

/** Stores the hidden columns of a table in this browser. */
export const saveHiddenColumns = (table: string, ids: readonly string[]): void =>
  hiddenColumns.save(table, ids);

const NONE_HIDDEN: readonly string[] = [];

/** The hidden columns of a table, stored in this browser; `initial` until someone hides or shows one. */
export const useHiddenColumns = (table: string, initial = NONE_HIDDEN): readonly string[] =>
  useStore(hiddenColumns.getStore(table)) ?? initial;

/** The columns as the layout arranges them; their identity changes with the layout only. */
export const useArrangedColumns = <Row>(columns: readonly Column<Row>[], layout: TableLayout) =>
  useMemo(() => arrangeColumns(columns, layout), [columns, layout]);
