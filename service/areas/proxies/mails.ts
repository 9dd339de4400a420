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

type ActingBegun = ProxyMail & { source: 'console' | 'api'; reason: string | null };

/** Mail to a user for whom a proxy has started to act (T06). */
export function actingBegunMail(to: ActingBegun): MailText {
  const site = toSingleLine(to.siteName);
  return {
    subject: `Somebody acts for you on ${site}`,
    text: composeText(to, [
      ...formatStart(to, site),
      'As your proxy they can read and change the data that you can. Everything they do is recorded with both names.',
      'If you did not expect this, ask an administrator of the site.',
    ]),
  };
}

/** Who acts and why. Programs give no reason; in the console one is given unless the site requires none. */
function formatStart({ source, reason, ...to }: ActingBegun, site: string): string[] {
  if (source === 'api')
    return [`A program of ${formatProxy(to)} has started to act for you on ${site} today.`];
  const start = `${formatProxy(to)} has started to act for you on ${site}`;
  return reason === null
    ? [`${start}. No reason was given.`]
    : [`${start}, for this reason:`, toSingleLine(reason, 500)];
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
      actingBegunMail({
        ...values,
        ...EXAMPLE_PROXY,
        source: 'console',
        reason: 'Helps with the quarterly report',
      }),
  },
];
