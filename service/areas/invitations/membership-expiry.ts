import { change, createHostActor, type Recorder } from '../../kernel/audit/change.ts';
import { deleteSessionsAndTokens, deleteSetPasswordLinks } from '../../kernel/auth/callers.store.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';
import { queueMail } from '../../kernel/mail/mail.store.ts';
import { composeMembershipEndingMail, formatTimestamp } from '../../kernel/mail/messages.ts';
import { createItemTask } from '../../kernel/tasks/run-in-turns.ts';
import type { ScheduledTask } from '../../kernel/tasks/scheduled-tasks.ts';
import { getUsers, recordUserChanges } from '../members/index.ts';
import { getSite, type Site } from '../sites/index.ts';
import * as store from './memberships.store.ts';

/** Maximum number of users per transaction; keeps locks on the site short. */
const BATCH_SIZE = 100;
const INTERVAL_MS = 60_000;

/**
 * Ends temporary memberships and sends reminders before. Access is refused from the end date on, independent of when
 * the task runs (CAN_ACT); the task makes the end visible (docs/decisions/0015).
 */
export const membershipExpiryTask = ({ db }: { db: Db }): ScheduledTask =>
  createItemTask(db, {
    name: 'membership expiry',
    intervalMs: INTERVAL_MS,
    async listItems() {
      const siteIds = await store.listSitesWithDueMemberships(db);
      return siteIds.map((siteId) => ({ siteId, item: '' }));
    },
    async runStep({ siteId }) {
      if ((await endBatch(db, siteId)) === BATCH_SIZE) return true;
      return (await remindBatch(db, siteId)) === BATCH_SIZE;
    },
  });

/** Ends a batch of memberships and returns its size. */
const endBatch = (db: Db, siteId: number): Promise<number> =>
  change(db, createHostActor(siteId), async (tx, record) => {
    const ended = await store.lockEndedMemberships(tx, siteId, BATCH_SIZE);
    const userIds = ended.map(({ userId }) => userId);
    const usersBefore = await getUsers(tx, siteId, userIds);
    await store.endMemberships(tx, siteId, userIds);
    for (const userId of userIds) {
      await deleteSessionsAndTokens(tx, siteId, [userId]);
      await deleteSetPasswordLinks(tx, [userId], siteId);
    }
    const changed = await recordUserChanges(
      tx,
      { siteId, userId: null },
      usersBefore,
      'membership.end',
      record,
    );
    const recordedIds = new Set(changed.map(({ id }) => id));
    // Users who were inactive and without a license before have no visible change, so they get an audit row here.
    for (const { userId, endedAt } of ended.filter((each) => !recordedIds.has(each.userId)))
      record({
        action: 'membership.end',
        subject: ['user', userId],
        changes: { membershipExpiresDate: [endedAt, null] },
      });
    return ended.length;
  });

/** Sends a batch of reminders to members and their inviters and returns its size. */
const remindBatch = (db: Db, siteId: number): Promise<number> =>
  change(db, createHostActor(siteId), async (tx, record) => {
    const ending = await store.claimReminders(tx, siteId, BATCH_SIZE);
    const site = await getSite(tx, siteId);
    for (const each of ending) {
      await sendReminder(tx, site, each, record);
    }
    return ending.length;
  });

async function sendReminder(
  tx: Tx,
  site: Site,
  ending: store.EndingMembership,
  record: Recorder,
): Promise<void> {
  const endDate = formatTimestamp(ending.endsAt, site.timeZone);
  const common = { siteName: site.name, endDate };
  const ttlHours = Math.max(1, Math.ceil((ending.endsAt.getTime() - Date.now()) / 3_600_000));
  const envelope = { siteId: site.siteId, ttlHours };
  await queueMail(tx, {
    ...envelope,
    to: ending.email,
    ...composeMembershipEndingMail({ ...common, firstName: ending.firstName }),
  });
  if (ending.inviter) {
    const memberName = `${ending.firstName} ${ending.lastName} (${ending.email})`;
    const text = composeMembershipEndingMail({ ...common, firstName: ending.inviter.firstName, memberName });
    await queueMail(tx, { ...envelope, to: ending.inviter.email, ...text });
  }
  record({
    action: 'membership.remind',
    subject: ['user', ending.userId],
    changes: { membershipExpiresDate: [ending.endsAt, ending.endsAt] },
  });
}
