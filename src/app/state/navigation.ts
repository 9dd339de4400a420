import { saveLocally } from '../../lib/local-storage.ts';
import { createStore } from '../../ui/store.ts';

const FOLDED_STORAGE_KEY = 'steward-nav-folded';

/** Whether the side navigation shows only icons; stored in this browser. */
export const isNavigationFolded = createStore(localStorage.getItem(FOLDED_STORAGE_KEY) === 'yes');

/** Folds or unfolds the side navigation and stores the choice. */
export function setNavigationFolded(folded: boolean): void {
  saveLocally(FOLDED_STORAGE_KEY, folded ? 'yes' : 'no');
  isNavigationFolded.set(folded);
}
