import type { Recorder } from '../../kernel/audit/change.ts';
import { hasAdministrator } from '../../kernel/auth/callers.store.ts';
import { createLink, LINK_TTL_HOURS } from '../../kernel/auth/one-time-links.store.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { normalizeEmail } from '../../kernel/email.ts';
import { queueMail } from '../../kernel/mail/mail.store.ts';
import { composeSetPasswordMail } from '../../kernel/mail/messages.ts';
import { ensureAdministratorsGroup, recordNewMember } from '../members/index.ts';
import { addFirstPlatformAdministrator, listSiteIds } from '../sites/index.ts';
import { insertAccount, insertMembership } from './users.store.ts';

/**
 * Creates a user with all capabilities on the site and on every other site without an administrator. The first one
 * becomes platform administrator. Returns undefined if the e-mail address is registered already.
 */
export async function addAdministrator(
  tx: Tx,
  siteId: number,
  person: { email: string; firstName: string; lastName: string; passwordHash: string },
  record: Recorder,
): Promise<number | undefined> {
  const { email, key } = normalizeEmail(person.email);
  const userId = await insertAccount(tx, siteId, {
    email,
    emailKey: key,
    firstName: person.firstName.trim(),
    lastName: person.lastName.trim(),
    passwordHash: person.passwordHash,
    federationId: null,
  });
  if (userId === undefined) return undefined;
  await addFirstPlatformAdministrator(tx, userId);
  for (const each of [siteId, ...(await otherSitesWithoutAdministrator(tx, siteId))]) {
    await joinAsAdministrator(tx, each, userId, record);
  }
  return userId;
}

async function joinAsAdministrator(tx: Tx, siteId: number, userId: number, record: Recorder): Promise<void> {
  await insertMembership(tx, siteId, userId, null, {});
  const groupIds = [await ensureAdministratorsGroup(tx, siteId, record)];
  await recordNewMember(tx, siteId, { userId, groupIds }, 'site.first-administrator', record);
}

/** Sites that nobody could administer otherwise. */
async function otherSitesWithoutAdministrator(tx: Tx, siteId: number): Promise<number[]> {
  const others = (await listSiteIds(tx)).filter((id) => id !== siteId);
  const administered = await Promise.all(others.map((id) => hasAdministrator(tx, id)));
  return others.filter((_, index) => !administered[index]);
}

/** Queues the e-mail with the link to set a first password (spec 4.2 rule 1). */
export async function mailPasswordLink(
  tx: Tx,
  publicUrl: string,
  recipient: { userId: number; email: string; firstName: string; site: { siteId: number; name: string } },
): Promise<void> {
  const token = await createLink(tx, {
    purpose: 'set-password',
    siteId: recipient.site.siteId,
    userId: recipient.userId,
  });
  const mail = composeSetPasswordMail({
    firstName: recipient.firstName,
    siteName: recipient.site.name,
    link: `${publicUrl}/link#${token}`,
  });
  await queueMail(tx, {
    siteId: recipient.site.siteId,
    to: recipient.email,
    ttlHours: LINK_TTL_HOURS,
    ...mail,
  });
}
