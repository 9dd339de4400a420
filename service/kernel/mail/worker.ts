import type { Kysely } from 'kysely';
import type { Tables } from '../db/tables.ts';
import type { Log } from '../log.ts';
import { claimDueMail, type ClaimedMail, markFailed, markSent } from './store.ts';
import { type MailConfig, type MailTransport, openMailTransport } from './transport.ts';

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
