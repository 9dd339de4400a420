import { change, createHostActor } from '../../kernel/audit/change.ts';
import type { Db } from '../../kernel/db/database.ts';
import type { Services } from '../../kernel/http/handler.ts';
import { queueMail } from '../../kernel/mail/mail.store.ts';
import { composeApiKeyExpiringMail, formatTimestamp } from '../../kernel/mail/messages.ts';
import { notify } from '../../kernel/notifications.store.ts';
import { createItemTask } from '../../kernel/tasks/run-in-turns.ts';
import type { ScheduledTask } from '../../kernel/tasks/scheduled-tasks.ts';
import { getSite } from '../sites/index.ts';
import { deleteAccessTokens } from './api-keys.store.ts';
import * as store from './api-keys.store.ts';

/** Maximum number of keys per transaction. */
const BATCH_SIZE = 100;
const INTERVAL_MS = 60_000;

/**
 * Disables expired API keys and sends reminders before. A key is refused from its expiry date on, independent of when
 * the task runs; the task makes the end visible.
 */
export const keyExpiryTask = ({
  db,
  services,
}: {
  db: Db;
  services: Pick<Services, 'publicUrl'>;
}): ScheduledTask =>
  createItemTask(db, {
    name: 'API key expiry',
    intervalMs: INTERVAL_MS,
    listItems: async () => (await store.listSitesWithDueKeys(db)).map((siteId) => ({ siteId, item: '' })),
    async runStep({ siteId }) {
      if ((await expireKeys(db, siteId)) === BATCH_SIZE) return true;
      return (await remindBatch(db, siteId, services.publicUrl)) === BATCH_SIZE;
    },
  });

/** Disables a batch of expired keys, of one user or of all, and returns its size. The audit rows have no author. */
export const expireKeys = (db: Db, siteId: number, userId?: number): Promise<number> =>
  change(db, createHostActor(siteId), async (tx, record) => {
    const expired = await store.disableExpiredKeys(tx, siteId, { userId, limit: BATCH_SIZE });
    if (expired.length === 0) return 0;
    await deleteAccessTokens(
      tx,
      expired.map(({ clientId }) => clientId),
    );
    for (const each of expired)
      record({
        action: 'user.api-key-expire',
        subject: ['user', each.userId],
        changes: { clientId: [each.clientId, null], apiKeyExpiresDate: [each.expiredAt, null] },
      });
    return expired.length;
  });

/** Sends a batch of reminders to key owners and returns its size. */
const remindBatch = (db: Db, siteId: number, publicUrl: string): Promise<number> =>
  change(db, createHostActor(siteId), async (tx, record) => {
    const expiring = await store.claimReminders(tx, siteId, BATCH_SIZE);
    const site = await getSite(tx, siteId);
    for (const { clientId, userId, email: to, firstName, endsAt, hours } of expiring) {
      const end = formatTimestamp(endsAt, site.timeZone);
      const link = `${publicUrl}/profile`;
      const mail = composeApiKeyExpiringMail({
        firstName,
        siteName: site.name,
        clientId,
        endDate: end,
        link,
      });
      await queueMail(tx, { siteId, to, ttlHours: hours, ...mail });
      await notify(tx, undefined, {
        siteId,
        userIds: [userId],
        category: 'alert',
        title: `The API key ${clientId} ends on ${end}`,
        detail: 'Programs that use it are refused from then on. Create another one before.',
        path: '/profile',
      });
      record({
        action: 'user.api-key-remind',
        subject: ['user', userId],
        changes: { clientId: [clientId, clientId], apiKeyExpiresDate: [endsAt, endsAt] },
      });
    }
    return expiring.length;
  });
