import type { Recorder } from '../../kernel/change.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { lockUser, usersChanged } from '../members/index.ts';
import { deleteFactors, hasFactor, lockAccount, noteFactor, readFactors } from './factors.store.ts';
import { mailSecurityChange } from './mails.ts';
import { endSessions } from './sessions.store.ts';

/** Who changes it, and on which site; nobody where it is the host. */
interface Actor {
  siteId: number;
  userId: number | null;
}

/**
 * Where every change of somebody's second factors ends: lists of users tell whether they have one, and the audit log
 * what was done. `work` returns what happened, or undefined when nothing did.
 */
export async function factorsChanged<T>(
  tx: Tx,
  actor: Actor,
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

const RESET =
  'Your second factor was reset: your authenticator app, passkeys and recovery codes work no longer. Where one is asked for, you set up a new one when you sign in next.';

/** Forgets every second factor of somebody and ends their sessions; they are told. False where they had none. */
export async function forgetFactors(
  tx: Tx,
  actor: Actor,
  about: { userId: number; action: string; butFor?: Buffer | undefined },
  record: Recorder,
): Promise<boolean> {
  const { userId, butFor = Buffer.alloc(0) } = about;
  if (!hasFactor(await readFactors(tx, userId))) return false;
  await factorsChanged(tx, actor, about, record, () => deleteFactors(tx, userId));
  await endSessions(tx, userId, { butFor });
  await mailSecurityChange(tx, { siteId: actor.siteId, userId }, RESET);
  return true;
}
