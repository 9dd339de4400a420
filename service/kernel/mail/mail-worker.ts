import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Kysely } from 'kysely';
import type { Tables } from '../db/tables/index.ts';
import { getErrorCode } from '../error-code.ts';
import type { Secret } from '../secret.ts';
import { startWakeLoop } from '../tasks/wake-loop.ts';
import type { Log } from '../telemetry/log.ts';
import { LOGO_CONTENT_ID, renderMailHtml } from './layout.ts';
import { claimDueMails, markFailed, markSent, onMailQueued, type ClaimedMail } from './mail.store.ts';
import { readSmtpUrl } from './smtp-url.ts';

/** Timeout of one send; shorter than the claim in mail.store.ts. */
const SEND_TIMEOUT_MS = 2 * 60_000;
/** Longest delay of mails queued by other processes and of retries. */
const POLL_INTERVAL_MS = 5_000;
/** Time that running sends have to finish when the service stops: aborting after the text has been sent would repeat the mail. */
const STOP_TIMEOUT_MS = 5_000;
const MAX_PARALLEL_SENDS = 4;

export interface MailWorker {
  /** Sends due mails now. A commit that queued mail does it as well. */
  wake: () => void;
  /** Claims no further mails and resolves when the running sends have finished or were aborted. */
  stop: () => Promise<void>;
}

/** Sends queued mails in the background; every process may run a worker. */
export function startMailWorker(options: { db: Kysely<Tables>; config: MailConfig; log: Log }): MailWorker {
  const transport = createMailTransport(options.config);
  const abortController = new AbortController();
  const context: MailContext = { ...options, transport, signal: abortController.signal, isStopped: false };
  const loop = startWakeLoop(async () => {
    await sendDueMails(context);
    return POLL_INTERVAL_MS;
  });
  const stopListening = onMailQueued(() => loop.wake());
  return {
    wake: () => loop.wake(),
    async stop() {
      stopListening();
      context.isStopped = true;
      const timeout = setTimeout(
        () => abortController.abort(new Error('The service stopped')),
        STOP_TIMEOUT_MS,
      );
      await loop.stop();
      clearTimeout(timeout);
      transport.close();
    },
  };
}

interface MailContext {
  db: Kysely<Tables>;
  log: Log;
  transport: MailTransport;
  /** Aborts running sends when the service stops. */
  signal: AbortSignal;
  isStopped: boolean;
}

async function sendDueMails(context: MailContext): Promise<void> {
  try {
    while (!context.isStopped) {
      const mails = await claimDueMails(context.db, MAX_PARALLEL_SENDS);
      if (mails.length === 0) return;
      await Promise.all(mails.map((mail) => deliver(context, mail)));
    }
  } catch (error) {
    // The database is unavailable: the mails stay queued until the next run.
    context.log.error({ err: error }, 'Queued mails could not be read');
  }
}

/** Sends a mail and records the outcome. Never rejects: if recording fails, the mail is due again when its claim lapses. */
async function deliver({ db, log, transport, signal }: MailContext, mail: ClaimedMail): Promise<void> {
  const fields = { mailId: mail.mail_id, attempt: mail.attempts };
  try {
    const error = await trySend(transport, mail, signal);
    if (!error) {
      await markSent(db, mail);
      log.info(fields, 'Mail sent');
    } else if (await markFailed(db, mail, error.message)) {
      log.warn({ ...fields, err: maskAddresses(error) }, 'Mail could not be sent and will be retried');
    } else {
      log.error(
        { ...fields, err: maskAddresses(error) },
        'Mail could not be sent before its link expired and will not be retried',
      );
    }
  } catch (error) {
    log.error({ ...fields, err: error }, 'The outcome of sending a mail could not be recorded');
  }
}

async function trySend(
  transport: MailTransport,
  mail: ClaimedMail,
  signal: AbortSignal,
): Promise<Error | undefined> {
  try {
    await transport.send(mail, AbortSignal.any([signal, AbortSignal.timeout(SEND_TIMEOUT_MS)]));
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

// Without the slash before the scope of a package in a stack.
const ADDRESS = /[^\s<>()[\],;:"'/]+@[^\s<>()[\],;:"']+/g;

/** An error without the addresses in its texts: servers repeat those of recipients, which are personal data, in their answers. */
function maskAddresses(error: Error): Error {
  const { name, message, stack = '', cause } = error;
  const masked = new Error(message.replaceAll(ADDRESS, '***'), {
    cause: cause instanceof Error ? maskAddresses(cause) : undefined,
  });
  return Object.assign(masked, {
    name,
    stack: stack.replaceAll(ADDRESS, '***'),
    code: getErrorCode(error),
  });
}

interface MailConfig {
  dataDir: string;
  publicUrl: string;
  smtpUrl: Secret | undefined;
}

/** Delivers mails to a server or folder; rejects when that fails. */
interface MailTransport {
  send(mail: ClaimedMail, signal: AbortSignal): Promise<void>;
  close(): void;
}

// Nodemailer must not read files or URLs as parts of a mail.
const NO_EXTERNAL_CONTENT = { disableFileAccess: true, disableUrlAccess: true };

/** Loaded with the first mail, for the memory and the start of services that send none (decision 0043). */
const loadMailer = () => import('nodemailer');

/** SMTP if SMTP_URL is set, otherwise files in DATA_DIR/mail. */
function createMailTransport(config: MailConfig): MailTransport {
  return config.smtpUrl ? createSmtpTransport(config.smtpUrl, config) : createFileTransport(config);
}

/** SMTP transport; the URL contains all settings (`readSmtpUrl`). */
function createSmtpTransport(smtpUrl: Secret, config: MailConfig): MailTransport {
  const { url, from = getSenderAddress(config.publicUrl) } = readSmtpUrl(smtpUrl);
  const openMailer = async () =>
    (await loadMailer()).createTransport({
      pool: true,
      url,
      maxConnections: 4,
      connectionTimeout: 10_000,
      greetingTimeout: 10_000,
      socketTimeout: 30_000,
      dnsTimeout: 10_000,
      ...NO_EXTERNAL_CONTENT,
    });
  let opening: ReturnType<typeof openMailer> | undefined;
  return {
    async send(mail, signal) {
      const mailer = await (opening ??= openMailer());
      await mailer.sendMail({ ...toMessage(mail, from, config.publicUrl), signal });
    },
    close: () => void opening?.then((mailer) => mailer.close({ force: true })).catch(() => {}),
  };
}

/** Writes each mail to an `.eml` file that only its owner can read. The name is the same at every attempt, so there is one file. */
function createFileTransport(config: MailConfig): MailTransport {
  const folder = join(config.dataDir, 'mail');
  return {
    async send(mail) {
      const mailer = (await loadMailer()).createTransport({
        streamTransport: true,
        buffer: true,
        newline: 'windows',
        ...NO_EXTERNAL_CONTENT,
      });
      const { message } = await mailer.sendMail(
        toMessage(mail, getSenderAddress(config.publicUrl), config.publicUrl),
      );
      if (!Buffer.isBuffer(message)) throw new Error('The mail was not composed in memory');
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const path = join(folder, getFileName(mail));
      await writeFile(`${path}.part`, message, { mode: 0o600, flush: true });
      await rename(`${path}.part`, path);
    },
    close: () => undefined,
  };
}

function toMessage(mail: ClaimedMail, from: string, publicUrl: string) {
  return {
    from,
    // An object is one address in any case; a text would be parsed as a list.
    to: { name: '', address: mail.recipient },
    subject: mail.subject,
    text: mail.body_text,
    html: renderMailHtml({ subject: mail.subject, text: mail.body_text }, mail, publicUrl),
    attachments: mail.logo
      ? [
          {
            cid: LOGO_CONTENT_ID,
            content: mail.logo.content,
            contentType: mail.logo.type,
            contentDisposition: 'inline' as const,
            filename: 'logo',
          },
        ]
      : [],
    date: mail.created_at,
    // The same at every attempt, so that mail clients can recognize a repeated delivery.
    messageId: `<${mail.mail_id}.${mail.created_at.getTime()}@${new URL(publicUrl).hostname}>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
  };
}

function getSenderAddress(publicUrl: string): string {
  const host = new URL(publicUrl).hostname;
  // An IP address is not a valid mail domain.
  return /^[\d.]+$|^\[/.test(host) ? 'steward@localhost' : `steward@${host}`;
}

function getFileName(mail: ClaimedMail): string {
  return `${mail.created_at.toISOString().replace(/[-:.]/g, '')}-${mail.mail_id}.eml`;
}
