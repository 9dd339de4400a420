import { createStore } from '../../../ui/store.ts';
import type { BulkRequest } from './read.ts';

/** The change of many entries whose dialog is open. */
export const entryBulk = createStore<BulkRequest | undefined>(undefined);

/** Asks what to change of many entries and shows what would come of it; where it is agreed to, it goes on as a job. */
export const openEntryBulk = (request: BulkRequest): void => entryBulk.set(request);
