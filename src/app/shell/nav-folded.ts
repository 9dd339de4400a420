import { createStore } from '../../ui/store.ts';

const KEY = 'steward-nav-folded';

/** Whether the side navigation shows icons alone; remembered in this browser. */
export const navFolded = createStore(localStorage.getItem(KEY) === 'yes');

export function setNavFolded(folded: boolean): void {
  localStorage.setItem(KEY, folded ? 'yes' : 'no');
  navFolded.set(folded);
}
