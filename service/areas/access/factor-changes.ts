import type { Recorder } from '../../kernel/audit/change.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { queueMail } from '../../kernel/mail/mail.store.ts';
import { composeSecurityMail } from '../../kernel/mail/messages.ts';
import { lockAccounts, lockUser, recordUserChanges } from '../members/index.ts';
import { getSite } from '../sites/index.ts';
import { deleteFactors, hasFactor, readFactors, updateSecondFactorFlag } from './factors.store.ts';
import { endSessions, readAccount } from './sessions.store.ts';

/** Author of the change and the site on which it is made; without a user id the host made it. */
interface Actor {
  siteId: number;
  userId: number | null;
}

/**
 * Runs `work`, which changes the second factors of a user, and then updates the flag that user lists show and writes
 * the audit row. The account is locked first. Every change of second factors must go through this function.
 */
export async function changeFactors<T>(
  tx: Tx,
  actor: Actor,
  change: { userId: number; action: string; details?: Readonly<Record<string, unknown>> },
  record: Recorder,
  work: () => Promise<T>,
): Promise<T> {
  const { userId, action, details = {} } = change;
  await lockAccounts(tx, [userId]);
  const before = await lockUser(tx, actor.siteId, userId);
  const result = await work();
  await updateSecondFactorFlag(tx, userId);
  const changed = before ? await recordUserChanges(tx, actor, [before], action, record) : [];
  // A further app or passkey changes nothing in user lists, but still needs an audit row.
  if (changed.length === 0) record({ action, subject: ['user', userId], changes: details });
  return result;
}

const RESET_NOTICE =
  'Your second factor was reset: your authenticator app, passkeys and recovery codes no longer work. Where a second factor is required, you set up a new one at your next sign-in.';

/**
 * Deletes all second factors of a user, ends the user's sessions and notifies the user by e-mail. Returns false if
 * there were none.
 */
export async function resetFactors(
  tx: Tx,
  actor: Actor,
  reset: { userId: number; action: string; exceptTokenHash?: Buffer | undefined },
  record: Recorder,
): Promise<boolean> {
  const { userId, exceptTokenHash = Buffer.alloc(0) } = reset;
  if (!hasFactor(await readFactors(tx, userId))) return false;
  await changeFactors(tx, actor, reset, record, () => deleteFactors(tx, userId));
  await endSessions(tx, userId, { exceptTokenHash });
  await mailSecurityChange(tx, { siteId: actor.siteId, userId }, RESET_NOTICE);
  return true;
}

const MAIL_TTL_HOURS = 72;

/** Queues the e-mail that notifies a user about a change of their sign-in methods, no matter who made it. */
export async function mailSecurityChange(
  tx: Tx,
  { siteId, userId }: { siteId: number; userId: number },
  notice: string,
): Promise<void> {
  const account = await readAccount(tx, userId);
  if (!account) return;
  const site = await getSite(tx, siteId);
  const mail = composeSecurityMail({ firstName: account.firstName, siteName: site.name, change: notice });
  await queueMail(tx, { siteId, to: account.email, ttlHours: MAIL_TTL_HOURS, ...mail });
}
