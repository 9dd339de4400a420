import type { Tx } from '../../kernel/db/database.ts';
import type { MailText } from '../../kernel/mail/messages.ts';
import { queueMail } from '../../kernel/mail/store.ts';
import { type Claimed, findRecipients, type Recipient } from './store.ts';

/** A mail about a backup is worth sending for so long. */
const MAIL_HOURS = 24;

/** Puts a mail into the outbox for each of those who are to be told. */
export async function tell(
  tx: Tx,
  backup: Pick<Claimed, 'id' | 'siteId'>,
  isBad: boolean,
  mailTo: (to: Recipient) => MailText,
): Promise<void> {
  for (const to of await findRecipients(tx, backup, isBad))
    // oxlint-disable-next-line no-await-in-loop -- one connection
    await queueMail(tx, { siteId: backup.siteId, to: to.email, hours: MAIL_HOURS, ...mailTo(to) });
}
