import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import type { Secret } from '../secret.ts';
import type { ClaimedMail } from './store.ts';

export interface MailConfig {
  dataDir: string;
  publicUrl: string;
  smtpUrl: Secret | undefined;
}

/** Takes a mail to where it leaves the service; rejects when it did not get there. */
export interface MailTransport {
  send(mail: ClaimedMail, signal: AbortSignal): Promise<void>;
  close(): void;
}

// No mail of ours names a file or an address to read its parts from.
const CLOSED = { disableFileAccess: true, disableUrlAccess: true };

/** SMTP where SMTP_URL is set, otherwise files in DATA_DIR/mail. */
export function openMailTransport(config: MailConfig): MailTransport {
  return config.smtpUrl ? smtpTransport(config.smtpUrl, config) : fileTransport(config);
}

/**
 * The address says everything: `smtps://user:password@host:465?from=steward@example.com&tls.rejectUnauthorized=false`.
 * Mail carries links that open accounts, so beyond this machine `smtp://` insists on STARTTLS, unless the address
 * says `requireTLS=false` or `ignoreTLS=true`.
 */
function smtpTransport(smtpUrl: Secret, config: MailConfig): MailTransport {
  const url = new URL(smtpUrl.reveal());
  const from = url.searchParams.get('from') ?? senderAt(config.publicUrl);
  url.searchParams.delete('from');
  const local = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  const choosesTls = url.searchParams.has('requireTLS') || url.searchParams.has('ignoreTLS');
  if (!local && !choosesTls) url.searchParams.set('requireTLS', 'true');
  const mailer = createTransport({
    pool: true,
    url: url.href,
    maxConnections: 4,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 30_000,
    dnsTimeout: 10_000,
    ...CLOSED,
  });
  return {
    async send(mail, signal) {
      await mailer.sendMail({ ...compose(mail, from, config.publicUrl), signal });
    },
    close: () => mailer.close({ force: true }),
  };
}

/** One `.eml` a mail, readable by its owner alone; the name is the same at every attempt, so there is one file. */
function fileTransport(config: MailConfig): MailTransport {
  const folder = join(config.dataDir, 'mail');
  const mailer = createTransport({ streamTransport: true, buffer: true, newline: 'windows', ...CLOSED });
  return {
    async send(mail) {
      const { message } = await mailer.sendMail(compose(mail, senderAt(config.publicUrl), config.publicUrl));
      if (!Buffer.isBuffer(message)) throw new Error('The mail was not composed in memory');
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const path = join(folder, fileName(mail));
      await writeFile(`${path}.part`, message, { mode: 0o600, flush: true });
      await rename(`${path}.part`, path);
    },
    close: () => undefined,
  };
}

function compose(mail: ClaimedMail, from: string, publicUrl: string) {
  return {
    from,
    // As an object it is one address whatever it holds; as text it would be read as a list.
    to: { name: '', address: mail.recipient },
    subject: mail.subject,
    text: mail.body_text,
    date: mail.created_at,
    // The same at every attempt, so that a mailbox can tell a repeated delivery.
    messageId: `<${mail.mail_id}.${mail.created_at.getTime()}@${new URL(publicUrl).hostname}>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
  };
}

function senderAt(publicUrl: string): string {
  const host = new URL(publicUrl).hostname;
  // A bare IP address is not a mail domain.
  return /^[\d.]+$|^\[/.test(host) ? 'steward@localhost' : `steward@${host}`;
}

function fileName(mail: ClaimedMail): string {
  return `${mail.created_at.toISOString().replace(/[-:.]/g, '')}-${mail.mail_id}.eml`;
}
