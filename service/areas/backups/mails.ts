import type { Tx } from '../../kernel/db/database.ts';
import type { MailExample } from '../../kernel/mail/examples.ts';
import { queueMail } from '../../kernel/mail/mail.store.ts';
import { composeText, type MailText, toSingleLine } from '../../kernel/mail/messages.ts';
import { notify } from '../../kernel/notifications.store.ts';
import { findRecipients, type PendingBackup, type Recipient } from './backups.store.ts';

/** Mail about a finished or failed backup. */
export function buildOutcomeMail(to: {
  firstName: string;
  siteName: string;
  fileName: string;
  failure: string | undefined;
  link: string;
}): MailText {
  const site = toSingleLine(to.siteName);
  return to.failure === undefined
    ? {
        subject: `The backup of ${site} is ready`,
        text: composeText(to, [
          `The backup ${to.fileName} of ${site} is ready. To download it, open:`,
          to.link,
        ]),
      }
    : {
        subject: `The backup of ${site} failed`,
        text: composeText(to, [
          `The backup ${to.fileName} of ${site} could not be made.`,
          toSingleLine(to.failure, 600),
          'Its partial file was deleted. To request another backup, open:',
          to.link,
        ]),
      };
}

/** Mail about a ready backup whose verification failed. */
export function buildVerificationFailedMail(to: {
  firstName: string;
  siteName: string;
  fileName: string;
  reason: string;
  link: string;
}): MailText {
  const site = toSingleLine(to.siteName);
  return {
    subject: `Verification of a backup of ${site} failed`,
    text: composeText(to, [
      `The backup ${to.fileName} of ${site} was restored into a temporary database to verify it, and that failed:`,
      toSingleLine(to.reason, 600),
      'Request another backup and verify it before you rely on it:',
      to.link,
    ]),
  };
}

const EXAMPLE_FILE = 'northlight-20260301-080000.zip';

/** The mails about backups, for their previews. */
export const BACKUP_MAIL_EXAMPLES: readonly MailExample[] = [
  {
    id: 'backup-ready',
    name: 'Backup ready',
    compose: (values) =>
      buildOutcomeMail({
        ...values,
        fileName: EXAMPLE_FILE,
        failure: undefined,
        link: `${values.publicUrl}/backups`,
      }),
  },
  {
    id: 'backup-failed',
    name: 'Backup failed',
    compose: (values) =>
      buildOutcomeMail({
        ...values,
        fileName: EXAMPLE_FILE,
        failure: 'The disk is full.',
        link: `${values.publicUrl}/backups`,
      }),
  },
  {
    id: 'backup-verification-failed',
    name: 'Verification of a backup failed',
    compose: (values) =>
      buildVerificationFailedMail({
        ...values,
        fileName: EXAMPLE_FILE,
        reason: 'entries/Company.csv: line 12 has 4 columns instead of 5',
        link: `${values.publicUrl}/backups`,
      }),
  },
];

/** Hours after which an unsent mail about a backup is dropped. */
const MAIL_TTL_HOURS = 24;

/**
 * Queues a mail for every recipient of the outcome; a failure also notifies them, unless the end of a job of their own does (`isAlert`).
 * @returns whether there are recipients
 */
export async function queueBackupMails(
  tx: Tx,
  backup: Pick<PendingBackup, 'id' | 'siteId'>,
  { failure, isAlert = true }: { failure: string | undefined; isAlert?: boolean },
  buildMail: (to: Recipient) => MailText,
): Promise<boolean> {
  const { siteId } = backup;
  const recipients = await findRecipients(tx, backup, failure !== undefined);
  for (const to of recipients)
    await queueMail(tx, { siteId, to: to.email, ttlHours: MAIL_TTL_HOURS, ...buildMail(to) });
  const [first] = recipients;
  if (failure === undefined || !isAlert || !first) return first !== undefined;
  await notify(tx, undefined, {
    siteId,
    userIds: recipients.map(({ userId }) => userId),
    category: 'alert',
    title: buildMail(first).subject,
    detail: failure,
    path: '/backups',
  });
  return true;
}
