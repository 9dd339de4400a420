import { letter, type MailText, oneLine } from '../../kernel/mail/messages.ts';

/** The mail to those who are told when a backup is over. */
export function backupMail(to: {
  firstName: string;
  siteName: string;
  fileName: string;
  failure: string | undefined;
  link: string;
}): MailText {
  const site = oneLine(to.siteName);
  return to.failure === undefined
    ? {
        subject: `The backup of ${site} is ready`,
        text: letter(to, [`The backup ${to.fileName} of ${site} is ready. To download it, open:`, to.link]),
      }
    : {
        subject: `The backup of ${site} failed`,
        text: letter(to, [
          `The backup ${to.fileName} of ${site} was not made.`,
          oneLine(to.failure, 600),
          'Nothing of it is left on the disk. To ask for another one, open:',
          to.link,
        ]),
      };
}

/** The mail about a backup that is there and from which the site could not be restored. */
export function unprovedMail(to: {
  firstName: string;
  siteName: string;
  fileName: string;
  differs: string;
  link: string;
}): MailText {
  const site = oneLine(to.siteName);
  return {
    subject: `A backup of ${site} was not proved`,
    text: letter(to, [
      `The backup ${to.fileName} of ${site} was restored aside to prove it, and that failed:`,
      oneLine(to.differs, 600),
      'Ask for another backup and verify that one before you rely on them. Open:',
      to.link,
    ]),
  };
}
