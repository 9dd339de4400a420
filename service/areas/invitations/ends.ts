import { endAccess, endLinks } from '../../kernel/auth/store.ts';
import { change, hostActor, type Recorder } from '../../kernel/change.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';
import type { Services } from '../../kernel/http/handler.ts';
import type { Chore } from '../../kernel/jobs/chores.ts';
import { endingMail, momentIn } from '../../kernel/mail/messages.ts';
import { queueMail } from '../../kernel/mail/store.ts';
import { getUsers, usersChanged } from '../members/index.ts';
import { getSite, type Site } from '../sites/index.ts';
import * as store from './members.store.ts';

/** So many people in one transaction: their site waits for none that takes long. */
const AT_ONCE = 100;
const MINUTE = 60_000;

/**
 * Temporary memberships end by themselves, and say so before. Nobody can act from the moment of the end on, whenever
 * the chore comes by (MAY_ACT); what it does is make the end visible (docs/decisions/0015).
 */
export const endsChore = ({ db, services }: { db: Db; services: Pick<Services, 'wakeMail'> }): Chore => ({
  name: 'temporary memberships',
  everyMs: MINUTE,
  async run() {
    for (const siteId of await store.sitesWithEnds(db)) {
      // oxlint-disable-next-line no-await-in-loop -- one site after the other, a piece at a time
      while ((await endSome(db, siteId)) === AT_ONCE);
      // oxlint-disable-next-line no-await-in-loop
      while ((await remindSome(db, siteId)) === AT_ONCE);
      services.wakeMail();
    }
  },
});

/** Ends some memberships whose time is over, and says how many. */
const endSome = (db: Db, siteId: number): Promise<number> =>
  change(db, hostActor(siteId), async (tx, record) => {
    const ended = await store.lockEnded(tx, siteId, AT_ONCE);
    const ids = ended.map(({ userId }) => userId);
    const befores = await getUsers(tx, siteId, ids);
    await store.endMembers(tx, siteId, ids);
    for (const userId of ids) {
      // oxlint-disable-next-line no-await-in-loop -- one connection
      await endAccess(tx, siteId, userId);
      // oxlint-disable-next-line no-await-in-loop
      await endLinks(tx, userId, siteId);
    }
    const changed = await usersChanged(tx, { siteId, userId: null }, befores, 'membership.end', record);
    const told = new Set(changed.map(({ id }) => id));
    // Whoever was inactive and without a license before is changed in nothing that a user shows.
    for (const { userId, endedAt } of ended.filter((each) => !told.has(each.userId)))
      record({
        action: 'membership.end',
        subject: ['user', userId],
        changes: { membershipExpiresDate: [endedAt, null] },
      });
    return ended.length;
  });

/** Tells some members, and those who invited them, that their time is over soon, and says how many. */
const remindSome = (db: Db, siteId: number): Promise<number> =>
  change(db, hostActor(siteId), async (tx, record) => {
    const ending = await store.claimEnding(tx, siteId, AT_ONCE);
    const site = await getSite(tx, siteId);
    for (const each of ending) {
      // oxlint-disable-next-line no-await-in-loop -- one connection
      await remind(tx, site, each, record);
    }
    return ending.length;
  });

async function remind(tx: Tx, site: Site, ending: store.Ending, record: Recorder): Promise<void> {
  const end = momentIn(ending.endsAt, site.timeZone);
  const told = { siteName: site.name, end };
  const hours = Math.max(1, Math.ceil((ending.endsAt.getTime() - Date.now()) / 3_600_000));
  const mail = { siteId: site.siteId, hours };
  await queueMail(tx, {
    ...mail,
    to: ending.email,
    ...endingMail({ ...told, firstName: ending.firstName }),
  });
  if (ending.inviter) {
    const who = `${ending.firstName} ${ending.lastName} (${ending.email})`;
    const words = endingMail({ ...told, firstName: ending.inviter.firstName, who });
    await queueMail(tx, { ...mail, to: ending.inviter.email, ...words });
  }
  record({
    action: 'membership.remind',
    subject: ['user', ending.userId],
    changes: { membershipExpiresDate: [ending.endsAt, ending.endsAt] },
  });
}
