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

function letter(to: LinkMail, paragraphs: string[]): string {
  return [`Hello ${oneLine(to.firstName)},`, ...paragraphs].join('\n\n').concat('\n');
}

// Names come from outside: a line break in one would let it write paragraphs, or headers, of its own.
function oneLine(name: string): string {
  return name
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
    .slice(0, 200);
}
