/** Subject and text of a mail, without its recipient. */
export interface MailText {
  subject: string;
  text: string;
}

interface LinkMail {
  firstName: string;
  siteName: string;
  link: string;
}

/** Mail to a user created without a password (spec 4.2 rule 1). */
export function composeSetPasswordMail(options: LinkMail): MailText {
  const site = toSingleLine(options.siteName);
  return {
    subject: `Set your password for ${site}`,
    text: composeText(options, [
      `An account was created for you on ${site}. To sign in, set a password first:`,
      options.link,
      'The link works once and for 24 hours. After that, ask an administrator of the site for a new one.',
      'If you did not expect this mail, you can ignore it: without a password nobody can sign in to the account.',
    ]),
  };
}

/** Mail to a user who requested a new password. */
export function composePasswordResetMail(options: LinkMail): MailText {
  const site = toSingleLine(options.siteName);
  return {
    subject: `Choose a new password for ${site}`,
    text: composeText(options, [
      `A new password was requested for your account on ${site}. To choose one, open:`,
      options.link,
      'The link works once and for 24 hours. Your current password stays valid until you choose a new one.',
      'If you did not request this, you can ignore this mail: nothing changes.',
    ]),
  };
}

interface InvitationMail {
  firstName: string;
  siteName: string;
  /** Null if the inviter is no longer a member of the site. */
  inviter: string | null;
  /** Days of a temporary membership; null for a permanent one. */
  days: number | null;
}

const formatDays = (days: number) => `${days} ${days === 1 ? 'day' : 'days'}`;

/** Mail to a user who is invited to another site (spec 4.2). */
export function composeInvitationMail(
  options: InvitationMail & { link: string; linkDays: number },
): MailText {
  const site = toSingleLine(options.siteName);
  const inviter = options.inviter === null ? 'An administrator' : toSingleLine(options.inviter);
  return {
    subject: `Invitation to ${site}`,
    text: composeText(options, [
      `${inviter} invites you to ${site}.`,
      options.days === null
        ? 'The membership is permanent.'
        : `The membership is temporary: it ends ${formatDays(options.days)} after you accept.`,
      'To read the invitation and accept it, open:',
      options.link,
      `The link works once and for ${formatDays(options.linkDays)}. Nothing changes until you accept.`,
      'If you did not expect this mail, you can ignore it.',
    ]),
  };
}

/** Mail to a user who was added to a site without confirmation (spec 4.2 rule 2). */
export function composeMemberAddedMail(options: {
  firstName: string;
  siteName: string;
  addedBy: string;
  link: string;
}): MailText {
  const site = toSingleLine(options.siteName);
  return {
    subject: `You were added to ${site}`,
    text: composeText(options, [
      `${toSingleLine(options.addedBy)} added you to ${site}. You sign in as before:`,
      options.link,
      'If you think this is a mistake, contact an administrator of the site.',
    ]),
  };
}

/** Mail to the inviter after the invitation was accepted. */
export function composeInvitationAcceptedMail(options: {
  firstName: string;
  siteName: string;
  memberName: string;
  /** Formatted end of the membership; null for a permanent one. */
  endDate: string | null;
}): MailText {
  const site = toSingleLine(options.siteName);
  return {
    subject: `Your invitation to ${site} was accepted`,
    text: composeText(options, [
      `${toSingleLine(options.memberName)} accepted your invitation and is now a member of ${site}.`,
      options.endDate === null
        ? 'The membership has no end date.'
        : `The membership ends on ${options.endDate}.`,
    ]),
  };
}

/** Mail before a temporary membership ends: to the member, or with `memberName` to the inviter. */
export function composeMembershipEndingMail(options: {
  firstName: string;
  siteName: string;
  endDate: string;
  memberName?: string | undefined;
}): MailText {
  const site = toSingleLine(options.siteName);
  if (options.memberName === undefined) {
    return {
      subject: `Your membership on ${site} ends soon`,
      text: composeText(options, [
        `Your membership on ${site} ends on ${options.endDate}.`,
        'If you need more time, ask an administrator of the site before then.',
      ]),
    };
  }
  const memberName = toSingleLine(options.memberName);
  return {
    subject: `The membership of ${memberName} on ${site} ends soon`,
    text: composeText(options, [
      `The membership of ${memberName} on ${site} ends on ${options.endDate}.`,
      'If they need more time, extend the invitation. Otherwise there is nothing to do.',
    ]),
  };
}

/** Mail to the owner before an API key expires. */
export function composeApiKeyExpiringMail(
  options: LinkMail & { clientId: number; endDate: string },
): MailText {
  const site = toSingleLine(options.siteName);
  return {
    subject: `Your API key for ${site} expires soon`,
    text: composeText(options, [
      `Your API key ${options.clientId} for ${site} expires on ${options.endDate}. From then on, programs that use it are rejected, and the key cannot be renewed.`,
      'Before that, at a suitable time, turn the key off and give these programs the id and secret of a new one:',
      options.link,
    ]),
  };
}

/** Mail of a notification that the user wants by mail. */
export function composeNotificationMail(options: {
  firstName: string;
  siteName: string;
  title: string;
  detail: string;
  link: string;
}): MailText {
  const { title, detail, link } = options;
  return {
    subject: toSingleLine(`${toSingleLine(options.siteName)}: ${title}`),
    text: composeText(options, [`${title}. ${detail}`, 'For details, open:', link]),
  };
}

/** Mail about a change of how a user signs in. `change` is a complete sentence. */
export function composeSecurityMail(options: {
  firstName: string;
  siteName: string;
  change: string;
}): MailText {
  const site = toSingleLine(options.siteName);
  return {
    subject: `Your sign-in settings for ${site} were changed`,
    text: composeText(options, [
      toSingleLine(options.change, 400),
      'If this was not you and you were not informed about it, choose a new password and contact an administrator of the site.',
    ]),
  };
}

/** Date and time in the site's time zone, as mails contain it. */
export const formatTimestamp = (at: Date, timeZone: string): string =>
  new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
    timeZone,
  }).format(at);

/** The text of a mail: a salutation and paragraphs. */
export function composeText({ firstName }: { firstName: string }, paragraphs: string[]): string {
  return [`Hello ${toSingleLine(firstName)},`, ...paragraphs].join('\n\n').concat('\n');
}

/** Removes line breaks and control characters from a name: otherwise users could add paragraphs or headers to mails. */
export function toSingleLine(name: string, maxLength = 200): string {
  return name
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
    .slice(0, maxLength);
}
