import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Kysely } from 'kysely';
import { createTransport } from 'nodemailer';
import type { Tables } from '../db/tables.ts';
import type { Log } from '../log.ts';
import { claimDueMail, markFailed, markSent, type ClaimedMail } from './store.ts';
import type { Secret } from '../secret.ts';

/** How long one send may take in all; shorter than the claim in store.ts. */
const SEND_LIMIT_MS = 2 * 60_000;
/** Mail queued by another process, and second attempts, wait at most this long beyond their time. */
const POLL_MS = 5_000;
/** What is being sent when the service stops gets this long to end: breaking off after the text repeats the mail. */
const GRACE_MS = 5_000;
const AT_ONCE = 4;

export interface MailWorker {
  /** Looks into the outbox now: somebody has just committed a mail. */
  wake: () => void;
  /** Takes no further mail and answers when those on their way are through, or given back. */
  stop: () => Promise<void>;
}

/** Sends what lies in the outbox, in the background; every process may run one. */
export function startMailWorker(options: { db: Kysely<Tables>; config: MailConfig; log: Log }): MailWorker {
  const transport = openMailTransport(options.config);
  const patience = new AbortController();
  const outbox = { ...options, transport, patience: patience.signal, stopped: false };
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<void> | undefined;
  let wokenMeanwhile = false;

  async function run(): Promise<void> {
    clearTimeout(timer);
    do {
      wokenMeanwhile = false;
      // oxlint-disable-next-line no-await-in-loop -- one round after the other
      await emptyOutbox(outbox);
    } while (wokenMeanwhile && !outbox.stopped);
    round = undefined;
    if (!outbox.stopped) timer = setTimeout(wake, POLL_MS).unref();
  }

  function wake(): void {
    if (round) wokenMeanwhile = true;
    else if (!outbox.stopped) round = run();
  }

  wake();
  return {
    wake,
    async stop() {
      outbox.stopped = true;
      clearTimeout(timer);
      const grace = setTimeout(() => patience.abort(new Error('The service stopped')), GRACE_MS);
      await round;
      clearTimeout(grace);
      transport.close();
    },
  };
}

interface Outbox {
  db: Kysely<Tables>;
  log: Log;
  transport: MailTransport;
  patience: AbortSignal;
  stopped: boolean;
}

async function emptyOutbox(outbox: Outbox): Promise<void> {
  try {
    while (!outbox.stopped) {
      // oxlint-disable-next-line no-await-in-loop -- a few at once, then the next few
      const batch = await claimDueMail(outbox.db, AT_ONCE);
      if (batch.length === 0) return;
      // oxlint-disable-next-line no-await-in-loop
      await Promise.all(batch.map((mail) => deliver(outbox, mail)));
    }
  } catch (error) {
    // The database is away: the mail is safe in it, and the next round asks again.
    outbox.log.error({ err: error }, 'The mail outbox could not be read');
  }
}

/** Never rejects: what cannot be noted now is due again when the claim runs out. */
async function deliver({ db, log, transport, patience }: Outbox, mail: ClaimedMail): Promise<void> {
  const fields = { mailId: mail.mail_id, attempt: mail.attempts };
  try {
    const failure = await attempt(transport, mail, patience);
    if (!failure) {
      await markSent(db, mail);
      log.info(fields, 'A mail was sent');
    } else if (await markFailed(db, mail, failure.message)) {
      log.warn({ ...fields, err: failure }, 'A mail was not sent and will be tried again');
    } else {
      log.error(
        { ...fields, err: failure },
        'A mail was not sent before the link in it ran out and now rests in the outbox',
      );
    }
  } catch (error) {
    log.error({ ...fields, err: error }, 'The outcome of a mail could not be noted');
  }
}

async function attempt(
  transport: MailTransport,
  mail: ClaimedMail,
  patience: AbortSignal,
): Promise<Error | undefined> {
  try {
    await transport.send(mail, AbortSignal.any([patience, AbortSignal.timeout(SEND_LIMIT_MS)]));
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

interface MailConfig {
  dataDir: string;
  publicUrl: string;
  smtpUrl: Secret | undefined;
}

/** Takes a mail to where it leaves the service; rejects when it did not get there. */
interface MailTransport {
  send(mail: ClaimedMail, signal: AbortSignal): Promise<void>;
  close(): void;
}

// No mail of ours names a file or an address to read its parts from.
const CLOSED = { disableFileAccess: true, disableUrlAccess: true };

/** SMTP where SMTP_URL is set, otherwise files in DATA_DIR/mail. */
function openMailTransport(config: MailConfig): MailTransport {
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
