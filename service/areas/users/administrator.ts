import type { Tx } from '../../kernel/db/database.ts';
import { normaliseEmail } from '../../kernel/email.ts';
import { addToGroups, ensureAdministrators } from '../sites/index.ts';
import { insertAccount, insertMembership } from './store.ts';

const STANDARD = 1;

/** Makes a user who can do everything on the site; undefined when the platform knows the address. */
export async function addAdministrator(
  tx: Tx,
  siteId: number,
  person: { email: string; firstName: string; lastName: string; passwordHash: string },
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
  await insertMembership(tx, siteId, userId, null, STANDARD, {});
  await addToGroups(tx, siteId, [[userId, await ensureAdministrators(tx, siteId)]]);
  return userId;
}
