import { createStore } from '../../../ui/store.ts';
import type { BulkRequest } from './dry-run.ts';

/** Bulk change whose dialog is open. */
export const entryBulkRequest = createStore<BulkRequest | undefined>(undefined);

/** Opens the dialog of a bulk change: edit, dry run, start of the job. */
export const openEntryBulk = (request: BulkRequest): void => entryBulkRequest.set(request);
