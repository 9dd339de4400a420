import { createStore, useStore } from '../store.ts';
import type { Store } from '../store.ts';

const NO_COLUMNS: readonly string[] = [];
const hiddenStores = new Map<string, Store<readonly string[]>>();
const getHiddenKey = (table: string): string => `steward-hidden-${table}`;
const SEPARATOR = ',';

function getHiddenStore(table: string): Store<readonly string[]> {
  const stored = localStorage.getItem(getHiddenKey(table));
  const ids = stored === null || stored === '' ? NO_COLUMNS : stored.split(SEPARATOR);
  const existing = hiddenStores.get(table) ?? createStore(ids);
  hiddenStores.set(table, existing);
  return existing;
}

/** The hidden columns of a table that does not keep them in its address, stored in this browser. */
export const useHiddenColumns = (table: string): readonly string[] => useStore(getHiddenStore(table));

/** Stores the hidden columns of a table in this browser. */
export function saveHiddenColumns(table: string, ids: readonly string[]): void {
  localStorage.setItem(getHiddenKey(table), ids.join(SEPARATOR));
  getHiddenStore(table).set(ids);
}
