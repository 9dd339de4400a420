import type { MailExample } from '../../kernel/mail/examples.ts';
import { composeText, toSingleLine, type MailText } from '../../kernel/mail/messages.ts';

export interface ProxyMail {
  firstName: string;
  siteName: string;
  proxyName: string;
  proxyEmail: string;
}

const formatProxy = ({ proxyName, proxyEmail }: ProxyMail) =>
  `${toSingleLine(proxyName)} (${toSingleLine(proxyEmail, 254)})`;

/** Mail to a user who has been assigned a proxy (T06). */
export function proxyAssignedMail(to: ProxyMail): MailText {
  const site = toSingleLine(to.siteName);
  return {
    subject: `Somebody may act for you on ${site}`,
    text: composeText(to, [
      `An administrator of ${site} has made ${formatProxy(to)} your proxy.`,
      'Your proxy can read and change the data that you can, in your name. Everything they do is recorded with both names, and you are notified when they start.',
      'If you did not expect this, ask an administrator of the site.',
    ]),
  };
}

/** Mail to a user for whom a proxy has started to act (T06). Programs give no reason. */
export function actingBegunMail(to: ProxyMail & { reason: string | null }): MailText {
  const site = toSingleLine(to.siteName);
  const opening =
    to.reason === null
      ? [`A program of ${formatProxy(to)} has started to act for you on ${site} today.`]
      : [
          `${formatProxy(to)} has started to act for you on ${site}, for this reason:`,
          toSingleLine(to.reason, 500),
        ];
  return {
    subject: `Somebody acts for you on ${site}`,
    text: composeText(to, [
      ...opening,
      'As your proxy they can read and change the data that you can. Everything they do is recorded with both names.',
      'If you did not expect this, ask an administrator of the site.',
    ]),
  };
}

const EXAMPLE_PROXY = { proxyName: 'Grace Lund', proxyEmail: 'grace.lund@example.com' };

/** The mails about proxies, for their previews. */
export const PROXY_MAIL_EXAMPLES: readonly MailExample[] = [
  {
    id: 'proxy-assigned',
    name: 'Proxy assigned',
    compose: (values) => proxyAssignedMail({ ...values, ...EXAMPLE_PROXY }),
  },
  {
    id: 'acting-begun',
    name: 'Proxy started to act',
    compose: (values) =>
      actingBegunMail({ ...values, ...EXAMPLE_PROXY, reason: 'Helps with the quarterly report' }),
  },
];
