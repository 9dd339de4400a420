import { createStore, useStore } from '../../../ui/store.ts';

const KEY = 'steward-users-hidden';
const PARTED = '-';
const USUALLY = ['id', 'created'];

function readHidden(): readonly string[] {
  const stored = localStorage.getItem(KEY);
  return stored === null ? USUALLY : stored.split(PARTED).filter((id) => id !== '');
}

const hidden = createStore(readHidden());

/** The columns that this person hid last in this browser. */
export const useHiddenColumns = (): readonly string[] => useStore(hidden);

/** Keeps the choice for the next visit. */
export function keepHiddenColumns(ids: readonly string[]): void {
  localStorage.setItem(KEY, ids.join(PARTED));
  hidden.set(ids);
}
