import type { Recorder } from '../../kernel/change.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { assignmentsAround } from './assignments.store.ts';
import { tellOf } from './assign.ts';

/**
 * Tells of the assignments that go with a user who leaves the site, for whoever stays: call it before the membership is
 * deleted, which takes them along.
 */
export async function proxiesLeave(tx: Tx, siteId: number, userId: number, record: Recorder): Promise<void> {
  tellOf([], await assignmentsAround(tx, siteId, userId), record);
}
