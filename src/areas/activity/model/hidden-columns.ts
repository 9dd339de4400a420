import { createStore, useStore } from '../../../ui/store.ts';

const KEY = 'steward-activity-hidden';
const PARTED = '-';

const hidden = createStore<readonly string[]>(
  (localStorage.getItem(KEY) ?? '').split(PARTED).filter((id) => id !== ''),
);

/** The columns that this person hid last in this browser. */
export const useHiddenColumns = (): readonly string[] => useStore(hidden);

/** Keeps the choice for the next visit. */
export function keepHiddenColumns(ids: readonly string[]): void {
  localStorage.setItem(KEY, ids.join(PARTED));
  hidden.set(ids);
}
