import type { Tx } from '../../kernel/db/database.ts';
import { securityMail } from '../../kernel/mail/messages.ts';
import { queueMail } from '../../kernel/mail/store.ts';
import { getSite } from '../sites/index.ts';
import { readAccount } from './sessions.store.ts';

/** The mail is worth sending this long. */
const HOURS = 72;

/** Tells somebody what was changed about how they sign in, whoever changed it. */
export async function mailSecurityChange(
  tx: Tx,
  { siteId, userId }: { siteId: number; userId: number },
  what: string,
): Promise<void> {
  const account = await readAccount(tx, userId);
  if (!account) return;
  const site = await getSite(tx, siteId);
  const mail = securityMail({ firstName: account.firstName, siteName: site.name, what });
  await queueMail(tx, { siteId, to: account.email, hours: HOURS, ...mail });
}
