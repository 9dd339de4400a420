import { type Kysely, sql, type Transaction } from 'kysely';
import { inPieces } from '../db/pieces.ts';
import type { Tables } from '../db/tables.ts';

/** A mail that this process has claimed and must now send. */
export interface ClaimedMail {
  mail_id: number;
  recipient: string;
  subject: string;
  body_text: string;
  attempts: number;
  created_at: Date;
}

// Longer than any send may take (SEND_LIMIT_MS in the worker), so that a claim ends only with its process.
const CLAIM = sql`interval '5 minutes'`;
// First again after half a minute, then twice as long each time, at most four hours; when it has expired it rests.
const FIRST_WAIT_SECONDS = 30;
const LONGEST_WAIT_SECONDS = 4 * 3600;
// Columns of time keep milliseconds and round: the time they are held against is rounded alike, or a mail queued in the
// second half of a millisecond is not due for the worker that is woken at once, and waits for the next poll.
const NOW = sql`now()::timestamptz(3)`;
const ROWS_AT_ONCE = 2000;
const EXPIRED = 'It was not sent before the link in it ran out';

interface QueuedMail {
  to: string;
  subject: string;
  text: string;
}

/**
 * Puts a mail into the outbox, in the caller's transaction: it is sent if and only if that commits, and only within so
 * many hours: whoever gets an old link finds that it does not open.
 * @throws when a header would get a line of its own
 */
export async function queueMail(
  tx: Transaction<Tables>,
  mail: QueuedMail & { siteId: number | null; hours: number },
): Promise<void> {
  await queueMails(tx, mail, [mail]);
}

/** The same for many at once. */
export async function queueMails(
  tx: Transaction<Tables>,
  { siteId, hours }: { siteId: number | null; hours: number },
  mails: readonly QueuedMail[],
): Promise<void> {
  for (const { to, subject } of mails) refuseInjection(to, subject);
  await inPieces(mails, ROWS_AT_ONCE, (piece) =>
    tx
      .insertInto('mail')
      .values(
        piece.map(({ to, subject, text }) => ({
          site_id: siteId,
          recipient: to,
          subject,
          body_text: text,
          expires_at: sql<Date>`now() + make_interval(hours => ${hours})`,
        })),
      )
      .execute(),
  );
}

// One address, no list, no display name; one line of subject.
function refuseInjection(to: string, subject: string): void {
  if (!/^[^\p{Cc}\p{Zl}\p{Zp}\s<>,;:"()[\]\\@]+@[^\p{Cc}\p{Zl}\p{Zp}\s<>,;"()\\@]+$/u.test(to)) {
    throw new Error('A mail needs exactly one plain address');
  }
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(subject)) throw new Error('The subject of a mail must be one line');
}

/**
 * Claims mail that is due. Two processes never hold the same mail at once: rows another one is claiming are
 * skipped, and a claimed row is not due again before the claim has run out. A process that dies while sending
 * leaves its mail to be sent again, so delivery is at least once. What expired while nobody sent it is laid to rest.
 */
export async function claimDueMail(db: Kysely<Tables>, limit: number): Promise<ClaimedMail[]> {
  const { rows } = await sql<ClaimedMail>`
    with rested as (
      update mail set next_attempt_at = 'infinity', last_error = coalesce(last_error, ${EXPIRED})
      where sent_at is null and next_attempt_at <= ${NOW} and expires_at <= ${NOW}),
    due as materialized (
      select mail_id from mail
      where sent_at is null and next_attempt_at <= ${NOW} and expires_at > ${NOW}
      order by next_attempt_at limit ${limit} for update skip locked)
    update mail set attempts = attempts + 1, next_attempt_at = now() + ${CLAIM}
    from due where mail.mail_id = due.mail_id
    returning mail.mail_id, recipient, subject, body_text, attempts, created_at`.execute(db);
  return rows;
}

/** Marks a mail as sent and forgets its text, which may hold a link that opens an account. */
export async function markSent(db: Kysely<Tables>, mail: ClaimedMail): Promise<void> {
  await sql`update mail set sent_at = now(), body_text = '', last_error = null
    where mail_id = ${mail.mail_id}`.execute(db);
}

/**
 * Plans the next attempt; where that would come too late the mail rests in the outbox (due at infinity) with its error.
 * Answers whether it will be tried again.
 */
export async function markFailed(db: Kysely<Tables>, mail: ClaimedMail, reason: string): Promise<boolean> {
  const wait = Math.min(FIRST_WAIT_SECONDS * 2 ** Math.min(mail.attempts - 1, 20), LONGEST_WAIT_SECONDS);
  const next = sql`now() + make_interval(secs => ${wait * (0.8 + 0.4 * Math.random())})`;
  // The attempt number is the fence: a claim that ran out must not move the plan of the one that followed it.
  const { rows } = await sql<{ again: boolean }>`
    update mail set last_error = ${reason.slice(0, 500)},
      next_attempt_at = case when ${next} < expires_at then ${next} else 'infinity' end
    where mail_id = ${mail.mail_id} and attempts = ${mail.attempts} and sent_at is null
    returning isfinite(next_attempt_at) as again`.execute(db);
  return rows[0]?.again ?? true;
}
