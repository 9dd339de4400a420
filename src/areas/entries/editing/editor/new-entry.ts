import { createStore } from '../../../../ui/store.ts';

/** Entry type for which the panel "New …" is open, on the page of the type. */
export const newEntryTypeId = createStore<number | undefined>(undefined);
