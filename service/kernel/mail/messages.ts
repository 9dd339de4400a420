/** A mail's words, before somebody addresses it. */
export interface MailText {
  subject: string;
  text: string;
}

interface LinkMail {
  firstName: string;
  siteName: string;
  link: string;
}

/** The mail to a user created without a password (spec 4.2 rule 1). */
export function setPasswordMail(to: LinkMail): MailText {
  const site = oneLine(to.siteName);
  return {
    subject: `Set your password for ${site}`,
    text: letter(to, [
      `An account was created for you on ${site}. To sign in, choose a password first:`,
      to.link,
      'The link works once and for 24 hours. After that, ask an administrator of the site for a new one.',
      'If you did not expect this mail, you can ignore it: without a password nobody can sign in to the account.',
    ]),
  };
}

/** The mail to a user for whom a new password was asked. */
export function passwordResetMail(to: LinkMail): MailText {
  const site = oneLine(to.siteName);
  return {
    subject: `Choose a new password for ${site}`,
    text: letter(to, [
      `Somebody asked for a new password for your account on ${site}. To choose one, open:`,
      to.link,
      'The link works once and for 24 hours. Your present password stays valid until you choose a new one.',
      'If you did not ask for this, you can ignore this mail: nothing changes.',
    ]),
  };
}

interface InvitationMail {
  firstName: string;
  siteName: string;
  /** Null when whoever it was is no member of the site any more. */
  inviter: string | null;
  /** Days of a temporary membership; null for a permanent one. */
  days: number | null;
}

const length = (days: number) => `${days} ${days === 1 ? 'day' : 'days'}`;

/** The mail to somebody who is invited to one more site (spec 4.2). */
export function invitationMail(to: InvitationMail & { link: string; linkDays: number }): MailText {
  const site = oneLine(to.siteName);
  return {
    subject: `Invitation to ${site}`,
    text: letter(to, [
      `${to.inviter === null ? 'An administrator' : oneLine(to.inviter)} invites you to ${site}.`,
      to.days === null
        ? 'The membership is permanent.'
        : `The membership is temporary: it ends by itself ${length(to.days)} after you accept.`,
      'To read the invitation and accept it, open:',
      to.link,
      `The link works once and for ${length(to.linkDays)}. Until you accept, nothing changes.`,
      'If you did not expect this mail, you can ignore it.',
    ]),
  };
}

/** The mail to somebody who was added to a site without being asked (spec 4.2 rule 2). */
export function addedMail(to: { firstName: string; siteName: string; by: string; link: string }): MailText {
  const site = oneLine(to.siteName);
  return {
    subject: `You were added to ${site}`,
    text: letter(to, [
      `${oneLine(to.by)} added you to ${site}. You sign in as before:`,
      to.link,
      'If you think that this is a mistake, write to an administrator of the site.',
    ]),
  };
}

/** The mail to the inviter when the invitation was accepted. */
export function acceptedMail(to: {
  firstName: string;
  siteName: string;
  who: string;
  end: string | null;
}): MailText {
  const site = oneLine(to.siteName);
  return {
    subject: `Your invitation to ${site} was accepted`,
    text: letter(to, [
      `${oneLine(to.who)} accepted your invitation and is now a member of ${site}.`,
      to.end === null ? 'The membership has no end.' : `The membership ends by itself on ${to.end}.`,
    ]),
  };
}

/** The mail before a temporary membership ends: to the member, or with `who` to whoever invited them. */
export function endingMail(to: {
  firstName: string;
  siteName: string;
  end: string;
  who?: string | undefined;
}): MailText {
  const site = oneLine(to.siteName);
  const who = to.who === undefined ? undefined : oneLine(to.who);
  return {
    subject: who === undefined ? `Your time on ${site} ends soon` : `The time of ${who} on ${site} ends soon`,
    text: letter(to, [
      `${who === undefined ? 'Your membership' : `The membership of ${who}`} of ${site} ends by itself on ${to.end}.`,
      who === undefined
        ? 'If you need more time, ask an administrator of the site before then.'
        : 'If they need more time, extend the invitation. Otherwise there is nothing to do.',
    ]),
  };
}

/** The mail to the owner before their API key expires. */
export function keyEndingMail(to: LinkMail & { clientId: number; end: string }): MailText {
  const site = oneLine(to.siteName);
  return {
    subject: `Your API key for ${site} expires soon`,
    text: letter(to, [
      `Your API key ${to.clientId} for ${site} expires on ${to.end}. From then on every program that uses it is refused, and the same key never comes back.`,
      'Turn it off before that, at a time that suits these programs, and give them the id and secret of a new one:',
      to.link,
    ]),
  };
}

/** The mail about every change of how somebody signs in. */
export function securityMail(to: { firstName: string; siteName: string; what: string }): MailText {
  const site = oneLine(to.siteName);
  return {
    subject: `A change of how you sign in to ${site}`,
    text: letter(to, [
      oneLine(to.what, 400),
      'If this was not you and nobody told you of it, choose a new password and write to an administrator of the site.',
    ]),
  };
}

/** A moment in the time of the site, as a mail names it. */
export const momentIn = (at: Date, timeZone: string): string =>
  new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
    timeZone,
  }).format(at);

/** A mail of paragraphs to somebody. */
export function letter(to: { firstName: string }, paragraphs: string[]): string {
  return [`Hello ${oneLine(to.firstName)},`, ...paragraphs].join('\n\n').concat('\n');
}

// Names come from outside: a line break in one would let it write paragraphs, or headers, of its own.
export function oneLine(name: string, most = 200): string {
  return name
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
    .slice(0, most);
}
