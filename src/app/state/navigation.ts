import { createStore, useStore } from '../../ui/store.ts';

const counts = createStore<Readonly<Record<string, number>>>({});

/** Returns the number of items of each area whose page has counted them, by path. */
export const useNavigationCounts = (): Readonly<Record<string, number>> => useStore(counts);

/** Sets the number of items of an area. Pages set it, because the service returns no totals (shapes 1, page size). */
export function setNavigationCount(path: string, value: number): void {
  if (counts.get()[path] !== value) counts.set({ ...counts.get(), [path]: value });
}

const FOLDED_STORAGE_KEY = 'steward-nav-folded';

/** Whether the side navigation shows only icons; stored in this browser. */
export const isNavigationFolded = createStore(localStorage.getItem(FOLDED_STORAGE_KEY) === 'yes');

/** Folds or unfolds the side navigation and stores the choice. */
export function setNavigationFolded(folded: boolean): void {
  localStorage.setItem(FOLDED_STORAGE_KEY, folded ? 'yes' : 'no');
  isNavigationFolded.set(folded);
}
