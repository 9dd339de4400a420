import { administratorRemains } from '../../kernel/auth/store.ts';
import type { Recorder } from '../../kernel/change.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { normaliseEmail } from '../../kernel/email.ts';
import { ensureAdministrators, memberAdded } from '../members/index.ts';
import { grantPlatformFirst, listSiteIds } from '../sites/index.ts';
import { insertAccount, insertMembership } from './store.ts';

/**
 * Makes a user who can do everything on the site, and on every other site that nobody can administer, and tells each of
 * them. The first of all runs the platform; undefined when the platform knows the address.
 */
export async function addAdministrator(
  tx: Tx,
  siteId: number,
  person: { email: string; firstName: string; lastName: string; passwordHash: string },
  record: Recorder,
): Promise<number | undefined> {
  const { email, key } = normaliseEmail(person.email);
  const userId = await insertAccount(tx, siteId, {
    email,
    emailKey: key,
    firstName: person.firstName.trim(),
    lastName: person.lastName.trim(),
    passwordHash: person.passwordHash,
    federationId: null,
  });
  if (userId === undefined) return undefined;
  await grantPlatformFirst(tx, userId);
  for (const each of [siteId, ...(await otherSitesWithoutAdministrator(tx, siteId))]) {
    // oxlint-disable-next-line no-await-in-loop -- one connection, a handful of sites
    await join(tx, each, userId, record);
  }
  return userId;
}

async function join(tx: Tx, siteId: number, userId: number, record: Recorder): Promise<void> {
  await insertMembership(tx, siteId, userId, null, {});
  const groupIds = [await ensureAdministrators(tx, siteId, record)];
  await memberAdded(tx, siteId, { userId, groupIds }, 'site.first-administrator', record);
}

/** Sites that would stay closed to everybody: their first administrator is the installation's. */
async function otherSitesWithoutAdministrator(tx: Tx, siteId: number): Promise<number[]> {
  const others = (await listSiteIds(tx)).filter((id) => id !== siteId);
  const administered = await Promise.all(others.map((id) => administratorRemains(tx, id)));
  return others.filter((_, index) => !administered[index]);
}
