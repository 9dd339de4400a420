import { createStore } from '../../../ui/store.ts';

/** Ids of the users that the list selects when it is shown next; set by the palette for a pasted text. */
export const pendingSelection = createStore<ReadonlySet<number> | undefined>(undefined);
