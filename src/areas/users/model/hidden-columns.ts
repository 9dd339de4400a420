import { createStore, useStore } from '../../../ui/store.ts';

const STORAGE_KEY = 'steward-users-hidden';
const SEPARATOR = '-';
const DEFAULT_HIDDEN = ['id', 'created'];

function loadHiddenColumns(): readonly string[] {
  const stored = localStorage.getItem(STORAGE_KEY);
  return stored === null ? DEFAULT_HIDDEN : stored.split(SEPARATOR).filter((id) => id !== '');
}

const hiddenColumns = createStore(loadHiddenColumns());

/** Columns hidden in this browser. */
export const useHiddenColumns = (): readonly string[] => useStore(hiddenColumns);

/** Stores the hidden columns for the next visit. */
export function saveHiddenColumns(ids: readonly string[]): void {
  localStorage.setItem(STORAGE_KEY, ids.join(SEPARATOR));
  hiddenColumns.set(ids);
}
