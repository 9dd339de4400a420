import { createStore } from '../../ui/store.ts';
import type { BulkRequest } from './actions.ts';

/** What is asked before the dry run: which license, which groups. */
export interface BulkChoice {
  choose: 'license' | 'addGroups' | 'removeGroups';
  userIds: readonly number[];
  onBegin?: (() => void) | undefined;
}

/** What is open: a choice, or the dry run of an action. */
export const bulkRequest = createStore<BulkRequest | BulkChoice | undefined>(undefined);
