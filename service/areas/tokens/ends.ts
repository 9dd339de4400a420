import { change, hostActor } from '../../kernel/change.ts';
import type { Db } from '../../kernel/db/database.ts';
import type { Services } from '../../kernel/http/handler.ts';
import type { Chore } from '../../kernel/jobs/chores.ts';
import { keyEndingMail, momentIn } from '../../kernel/mail/messages.ts';
import { queueMail } from '../../kernel/mail/store.ts';
import { getSite } from '../sites/index.ts';
import * as store from './ends.store.ts';
import { endTokens } from './keys.store.ts';

/** So many keys in one transaction. */
const AT_ONCE = 100;
const MINUTE = 60_000;

/**
 * API keys expire by themselves, and say so before. Nobody is let in from that instant on, whenever the chore comes by
 * (KEY_HOLDS); what it does is make the end visible.
 */
export const keyEndsChore = ({
  db,
  services,
}: {
  db: Db;
  services: Pick<Services, 'wakeMail' | 'publicUrl'>;
}): Chore => ({
  name: 'API keys that expire',
  everyMs: MINUTE,
  async run() {
    for (const siteId of await store.sitesWithEnds(db)) {
      // oxlint-disable-next-line no-await-in-loop -- one site after the other, a piece at a time
      while ((await endExpiredKeys(db, siteId)) === AT_ONCE);
      // oxlint-disable-next-line no-await-in-loop
      while ((await remindSome(db, siteId, services.publicUrl)) === AT_ONCE);
      services.wakeMail();
    }
  },
});

/** Takes expired keys out of the way, those of one user or some of all, and says how many. Nobody does it: time does. */
export const endExpiredKeys = (db: Db, siteId: number, userId?: number): Promise<number> =>
  change(db, hostActor(siteId), async (tx, record) => {
    const ended = await store.endExpired(tx, siteId, { userId, most: AT_ONCE });
    if (ended.length === 0) return 0;
    await endTokens(
      tx,
      ended.map(({ clientId }) => clientId),
    );
    for (const each of ended)
      record({
        action: 'user.api-key-expire',
        subject: ['user', each.userId],
        changes: { clientId: [each.clientId, null], apiKeyExpiresDate: [each.expiredAt, null] },
      });
    return ended.length;
  });

/** Tells some owners that their key expires soon, and says how many. */
const remindSome = (db: Db, siteId: number, publicUrl: string): Promise<number> =>
  change(db, hostActor(siteId), async (tx, record) => {
    const ending = await store.claimEnding(tx, siteId, AT_ONCE);
    const site = await getSite(tx, siteId);
    for (const { clientId, userId, email: to, firstName, endsAt, hours } of ending) {
      const end = momentIn(endsAt, site.timeZone);
      const link = `${publicUrl}/profile`;
      const mail = keyEndingMail({ firstName, siteName: site.name, clientId, end, link });
      // oxlint-disable-next-line no-await-in-loop -- one connection
      await queueMail(tx, { siteId, to, hours, ...mail });
      record({
        action: 'user.api-key-remind',
        subject: ['user', userId],
        changes: { clientId: [clientId, clientId], apiKeyExpiresDate: [endsAt, endsAt] },
      });
    }
    return ending.length;
  });
