import { useEffect } from 'react';
import { readEntriesView } from './view.ts';
import type { EntriesView } from './view.ts';

// In the memory of the page alone: what somebody searched for goes with a sign-out.
const views = new Map<number, EntriesView>();

/** Keeps what the list of a type shows, for the way back from one of its entries. */
export function useRememberView(typeId: number, view: EntriesView): void {
  useEffect(() => {
    views.set(typeId, view);
  }, [typeId, view]);
}

/** The list of a type as it was looked at last; the whole of it where it was not. */
export const lastView = (typeId: number): EntriesView => views.get(typeId) ?? readEntriesView({});
