import { addAdministrator } from './areas/users/index.ts';
import { createFirstSite, listSiteIds } from './areas/sites/index.ts';
import { fillSample } from './cli/sample/fill.ts';
import type { Config } from './config.ts';
import { createLink } from './kernel/auth/links.store.ts';
import { hashPassword } from './kernel/auth/password.ts';
import { administratorRemains } from './kernel/auth/store.ts';
import { change, hostActor } from './kernel/change.ts';
import type { Db } from './kernel/db/database.ts';
import { withTransaction } from './kernel/db/transaction.ts';

const SAMPLE = { users: 500, seed: 1 };
const NORTHLIGHT = { slug: 'northlight', name: 'Northlight Capital', dedicatedDomain: 'northlight.example' };
const EMPTY = { slug: 'main', name: 'Main site', dedicatedDomain: null };

/** What the person who started the service for the first time has to know. */
export interface FirstStart {
  /** The one-time address for the first administrator; undefined when the site has one. */
  link: string | undefined;
}

/**
 * Makes the first site at the very first start, with the sample or empty, and opens the way in for its first
 * administrator: from the settings, or by a one-time link for as long as nobody can administer the site.
 */
export async function firstStart(db: Db, config: Config): Promise<FirstStart> {
  const siteId = (await listSiteIds(db))[0] ?? (await makeSite(db, config.sample));
  if (await withTransaction(db, {}, (tx) => administratorRemains(tx, siteId))) return { link: undefined };
  if (config.firstAdministrator) {
    await addFromSettings(db, siteId, config.firstAdministrator);
    return { link: undefined };
  }
  const token = await change(db, hostActor(siteId), async (tx, record) => {
    record({ action: 'site.administrator-link', subject: ['site', siteId], changes: {} });
    return createLink(tx, { purpose: 'first-administrator', siteId, userId: null });
  });
  return { link: `${config.publicUrl}/link#${token}` };
}

async function makeSite(db: Db, sample: boolean): Promise<number> {
  const made = await withTransaction(db, {}, (tx) => createFirstSite(tx, sample ? NORTHLIGHT : EMPTY));
  if (sample && made.isNew) await fillSample(db, { ...SAMPLE, asOf: new Date(), siteId: made.siteId });
  return made.siteId;
}

async function addFromSettings(
  db: Db,
  siteId: number,
  person: NonNullable<Config['firstAdministrator']>,
): Promise<void> {
  const passwordHash = await hashPassword(person.password.reveal());
  await change(db, hostActor(siteId), async (tx, record) => {
    const userId = await addAdministrator(tx, siteId, {
      email: person.email,
      firstName: 'First',
      lastName: 'Administrator',
      passwordHash,
    });
    if (userId === undefined)
      throw new Error(
        `STEWARD_ADMIN_EMAIL: ${person.email} is already known, choose another or let them in with npm run admin -- user make-admin`,
      );
    record({
      action: 'site.first-administrator',
      subject: ['user', userId],
      changes: { email: [null, person.email] },
    });
  });
}
