import { createStore } from '../ui/store.ts';
import type { BulkRequest } from './actions.ts';

/** The dry run that is open. */
export const bulkRequest = createStore<BulkRequest | undefined>(undefined);
