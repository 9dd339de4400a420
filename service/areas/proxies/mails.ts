import { letter, oneLine, type MailText } from '../../kernel/mail/messages.ts';

export interface ProxyMail {
  firstName: string;
  siteName: string;
  proxyName: string;
  proxyEmail: string;
}

const proxyOf = ({ proxyName, proxyEmail }: ProxyMail) =>
  `${oneLine(proxyName)} (${oneLine(proxyEmail, 254)})`;

/** The mail to a user for whom somebody may act from now on (T06). */
export function proxyAssignedMail(to: ProxyMail): MailText {
  const site = oneLine(to.siteName);
  return {
    subject: `Somebody may act for you on ${site}`,
    text: letter(to, [
      `An administrator of ${site} has made ${proxyOf(to)} your proxy.`,
      'Your proxy can read and change the data that you can, in your name. What they do is recorded with both names, and you are told when they begin.',
      'If you did not expect this, ask an administrator of the site.',
    ]),
  };
}

/** The mail to a user for whom somebody has begun to act (T06); a program gives no reason. */
export function actingBegunMail(to: ProxyMail & { reason: string | null }): MailText {
  const site = oneLine(to.siteName);
  const begun =
    to.reason === null
      ? [`A program of ${proxyOf(to)} has begun to act for you on ${site} today.`]
      : [`${proxyOf(to)} has begun to act for you on ${site}, for this reason:`, oneLine(to.reason, 500)];
  return {
    subject: `Somebody acts for you on ${site}`,
    text: letter(to, [
      ...begun,
      'As your proxy they can read and change the data that you can. What they do is recorded with both names.',
      'If you did not expect this, ask an administrator of the site.',
    ]),
  };
}
