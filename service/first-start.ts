import { addAdministrator } from './areas/users/index.ts';
import { createSite, listSiteIds, lockFirstStart } from './areas/sites/index.ts';
import { writeSample } from './cli/sample/fill.ts';
import type { Config } from './config.ts';
import { createLink } from './kernel/auth/links.store.ts';
import { hashPassword } from './kernel/auth/password.ts';
import { administratorRemains } from './kernel/auth/store.ts';
import { change, hostActor, type Recorder } from './kernel/change.ts';
import type { Db, Tx } from './kernel/db/database.ts';
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
 * Processes that start together take turns; what the first made the others find.
 */
export async function firstStart(db: Db, config: Config): Promise<FirstStart> {
  const siteId = await withTransaction(db, {}, (tx) => findOrMakeSite(tx, config.sample));
  const passwordHash =
    config.firstAdministrator && (await hashPassword(config.firstAdministrator.password.reveal()));
  const token = await change(db, hostActor(siteId), async (tx, record) => {
    await lockFirstStart(tx);
    if (await administratorRemains(tx, siteId)) return undefined;
    if (config.firstAdministrator && passwordHash) {
      await addFromSettings(tx, siteId, { email: config.firstAdministrator.email, passwordHash }, record);
      return undefined;
    }
    record({ action: 'site.administrator-link', subject: ['site', siteId], changes: {} });
    return createLink(tx, { purpose: 'first-administrator', siteId, userId: null });
  });
  return { link: token && `${config.publicUrl}/link#${token}` };
}

async function findOrMakeSite(tx: Tx, sample: boolean): Promise<number> {
  await lockFirstStart(tx);
  const [first] = await listSiteIds(tx);
  if (first !== undefined) return first;
  const siteId = await createSite(tx, sample ? NORTHLIGHT : EMPTY);
  if (sample) await writeSample(tx, { ...SAMPLE, asOf: new Date(), siteId });
  return siteId;
}

async function addFromSettings(
  tx: Tx,
  siteId: number,
  person: { email: string; passwordHash: string },
  record: Recorder,
): Promise<void> {
  const named = { ...person, firstName: 'First', lastName: 'Administrator' };
  const userId = await addAdministrator(tx, siteId, named, record);
  if (userId === undefined)
    throw new Error(
      `STEWARD_ADMIN_EMAIL: ${person.email} is already known, choose another or let them in with npm run admin -- user make-admin`,
    );
}
