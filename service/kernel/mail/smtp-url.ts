import type { Secret } from '../secret.ts';

/** The address of a mail server for Nodemailer, and the sender of mails if SMTP_URL names one. */
interface SmtpConnection {
  url: string;
  from: string | undefined;
}

/**
 * Reads SMTP_URL: `smtps://user:password@host:465?from=steward@example.com&tls.rejectUnauthorized=false`. Mails contain sign-in links
 * and the URL a password, so `smtp://` to another machine requires STARTTLS unless the URL has `requireTLS=false` or `ignoreTLS=true`.
 */
export function readSmtpUrl(smtpUrl: Secret): SmtpConnection {
  const url = new URL(smtpUrl.reveal());
  const from = url.searchParams.get('from') ?? undefined;
  url.searchParams.delete('from');
  const isLocal = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  const hasTlsSetting = url.searchParams.has('requireTLS') || url.searchParams.has('ignoreTLS');
  if (!isLocal && !hasTlsSetting) url.searchParams.set('requireTLS', 'true');
  return { url: url.href, from };
}
