import { createLink, LINK_HOURS } from '../../kernel/auth/links.store.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { setPasswordMail } from '../../kernel/mail/messages.ts';
import { queueMail } from '../../kernel/mail/store.ts';

/** Leaves the mail with the link to set a first password in the outbox (spec 4.2 rule 1). */
export async function mailPasswordLink(
  tx: Tx,
  publicUrl: string,
  to: { userId: number; email: string; firstName: string; site: { siteId: number; name: string } },
): Promise<void> {
  const token = await createLink(tx, { purpose: 'set-password', siteId: to.site.siteId, userId: to.userId });
  const mail = setPasswordMail({
    firstName: to.firstName,
    siteName: to.site.name,
    link: `${publicUrl}/link#${token}`,
  });
  await queueMail(tx, { siteId: to.site.siteId, to: to.email, hours: LINK_HOURS, ...mail });
}
