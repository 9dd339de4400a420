import type { Caller } from '../../kernel/auth/caller.ts';
import type { Recorder } from '../../kernel/change.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { lockUser, usersChanged } from '../members/index.ts';
import { lockAccount, noteFactor } from './factors.store.ts';

/**
 * Where every change of somebody's second factors ends: lists of users tell whether they have one, and the audit log
 * what was done. `work` returns what happened, or undefined when nothing did.
 */
export async function factorsChanged<T>(
  tx: Tx,
  actor: Pick<Caller, 'siteId' | 'userId'>,
  change: { userId: number; action: string; details?: Readonly<Record<string, unknown>> },
  record: Recorder,
  work: () => Promise<T>,
): Promise<T> {
  const { userId, action, details = {} } = change;
  await lockAccount(tx, userId);
  const before = await lockUser(tx, actor.siteId, userId);
  const result = await work();
  await noteFactor(tx, userId);
  const changed = before ? await usersChanged(tx, actor, [before], action, record) : [];
  // A second app or passkey changes nothing that lists show, but the log tells of it.
  if (changed.length === 0) record({ action, subject: ['user', userId], changes: details });
  return result;
}
