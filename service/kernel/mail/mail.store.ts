import { type Kysely, sql, type Transaction } from 'kysely';
import { forEachBatch } from '../db/batches.ts';
import { onCommit } from '../db/database.ts';
import type { Tables } from '../db/tables/index.ts';
import { createListeners } from '../listeners.ts';
import type { MailBrand } from './layout.ts';

/** A mail that this process has claimed and must now send. */
export interface ClaimedMail extends MailBrand {
  mail_id: number;
  recipient: string;
  subject: string;
  body_text: string;
  attempts: number;
  created_at: Date;
}

interface ClaimedRow extends Omit<ClaimedMail, 'logo'> {
  content: Uint8Array | null;
  type: string | null;
  width: number | null;
  height: number | null;
}

// Longer than any send may take (SEND_TIMEOUT_MS in mail-worker.ts), so that a claim lapses only if its process ends.
const CLAIM_DURATION = sql`interval '5 minutes'`;
// Exponential backoff between these limits; expired mail is not retried.
const MIN_RETRY_SECONDS = 30;
const MAX_RETRY_SECONDS = 4 * 3600;
// Timestamp columns are rounded to milliseconds, so `now()` must be rounded alike: otherwise mail queued in the second half of a
// millisecond would not be due for the worker that is woken immediately, and would wait for the next poll.
const NOW = sql`now()::timestamptz(3)`;
const MAIL_BATCH_ROWS = 2000;
const EXPIRED_MESSAGE = 'Not sent before the link in it expired';

const listeners = createListeners<void>();

/** Calls `listener` after each commit of this process that queued mail. Returns a function that ends this. */
export const onMailQueued = listeners.add;
const notifyMailQueued = () => listeners.call();

interface QueuedMail {
  to: string;
  subject: string;
  text: string;
}

/**
 * Queues a mail in the caller's transaction: it is sent if and only if the transaction commits, at once by this process, and only within
 * `ttlHours`, because its link is valid no longer.
 * @throws Error when address or subject would inject a header
 */
export async function queueMail(
  tx: Transaction<Tables>,
  mail: QueuedMail & { siteId: number | null; ttlHours: number },
): Promise<void> {
  await queueMails(tx, mail, [mail]);
}

/** Queues several mails; see queueMail. */
export async function queueMails(
  tx: Transaction<Tables>,
  { siteId, ttlHours }: { siteId: number | null; ttlHours: number },
  mails: readonly QueuedMail[],
): Promise<void> {
  for (const { to, subject } of mails) rejectHeaderInjection(to, subject);
  await forEachBatch(mails, MAIL_BATCH_ROWS, (batch) =>
    tx
      .insertInto('mail')
      .values(
        batch.map(({ to, subject, text }) => ({
          site_id: siteId,
          recipient: to,
          subject,
          body_text: text,
          expires_at: sql<Date>`now() + make_interval(hours => ${ttlHours})`,
        })),
      )
      .execute(),
  );
  if (mails.length > 0) onCommit(tx, notifyMailQueued);
}

// Allows one address without display name, and a subject of one line.
function rejectHeaderInjection(to: string, subject: string): void {
  if (!/^[^\p{Cc}\p{Zl}\p{Zp}\s<>,;:"()[\]\\@]+@[^\p{Cc}\p{Zl}\p{Zp}\s<>,;"()\\@]+$/u.test(to)) {
    throw new Error('A mail needs exactly one plain address');
  }
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(subject)) throw new Error('The subject of a mail must be one line');
}

/**
 * Claims due mails. Two processes never hold the same mail: rows that another process is claiming are skipped, and a claimed mail is
 * due again only after its claim has lapsed. If a process ends while sending, the mail is sent again, so delivery is at least once.
 * A claimed mail has no error, so that nothing takes it for one that failed (`steward mail retry`).
 * Expired mails are marked as never due. Sites take turns, so that many invitations of one site do not delay the sign-in links of others.
 */
export async function claimDueMails(db: Kysely<Tables>, limit: number): Promise<ClaimedMail[]> {
  const { rows } = await sql<ClaimedRow>`
    with expired as (
      update mail set next_attempt_at = 'infinity', last_error = coalesce(last_error, ${EXPIRED_MESSAGE})
      where sent_at is null and next_attempt_at <= ${NOW} and expires_at <= ${NOW}),
    ranked as (
      select mail_id, row_number() over (partition by site_id order by next_attempt_at, mail_id) as turn from mail
      where sent_at is null and next_attempt_at <= ${NOW} and expires_at > ${NOW}),
    due as materialized (
      select mail.mail_id from mail join ranked on ranked.mail_id = mail.mail_id
      -- Repeated for rows that another process changes before they are locked here.
      where sent_at is null and next_attempt_at <= ${NOW} and expires_at > ${NOW}
      order by turn, next_attempt_at limit ${limit} for update of mail skip locked)
    update mail set attempts = mail.attempts + 1, next_attempt_at = now() + ${CLAIM_DURATION}, last_error = null
    from due
      left join mail as queued on queued.mail_id = due.mail_id
      left join site on site.site_id = queued.site_id
      left join site_brand as brand on brand.site_id = queued.site_id
    where mail.mail_id = due.mail_id
    returning mail.mail_id, mail.recipient, mail.subject, mail.body_text, mail.attempts, mail.created_at,
      site.name as "siteName", brand.color, brand.logo as content, brand.logo_type as type,
      brand.logo_width as width, brand.logo_height as height`.execute(db);
  return rows.map(({ content, type, width, height, ...mail }) => ({
    ...mail,
    logo:
      content && type !== null && width !== null && height !== null
        ? { content: Buffer.from(content), type, width, height }
        : null,
  }));
}

/** Marks a mail as sent and deletes its text, which may contain a sign-in link. */
export async function markSent(db: Kysely<Tables>, mail: ClaimedMail): Promise<void> {
  await sql`update mail set sent_at = now(), body_text = '', last_error = null
    where mail_id = ${mail.mail_id}`.execute(db);
}

/**
 * Schedules the next attempt. If that would be after the expiry, the mail stays in the outbox with its error and is never due again.
 * @returns whether the mail will be retried
 */
export async function markFailed(db: Kysely<Tables>, mail: ClaimedMail, reason: string): Promise<boolean> {
  const waitSeconds = Math.min(MIN_RETRY_SECONDS * 2 ** Math.min(mail.attempts - 1, 20), MAX_RETRY_SECONDS);
  const next = sql`now() + make_interval(secs => ${waitSeconds * (0.8 + 0.4 * Math.random())})`;
  // The attempt number is the fence: a lapsed claim must not change the schedule of the claim that followed it.
  const { rows } = await sql<{ willRetry: boolean }>`
    update mail set last_error = ${reason.slice(0, 500)},
      next_attempt_at = case when ${next} < expires_at then ${next} else 'infinity' end
    where mail_id = ${mail.mail_id} and attempts = ${mail.attempts} and sent_at is null
    returning isfinite(next_attempt_at) as "willRetry"`.execute(db);
  return rows[0]?.willRetry ?? true;
}

/** Days for which mails are kept, sent or not. No link in a mail is valid for as long. */
export const MAIL_RETENTION_DAYS = 90;
/** Rows looked at by one statement; bounds the time for which it blocks the embedded database. */
const RETENTION_BATCH = 10_000;

/** Deletes the oldest mails if they are older than the retention time. Returns whether there may be more. */
export async function deleteOldMails(db: Kysely<Tables>): Promise<boolean> {
  // Ids follow the time of creation: the oldest mails are found without an index of times.
  const { numAffectedRows } = await sql`
    with oldest as materialized (select mail_id, created_at, expires_at from mail order by mail_id limit ${RETENTION_BATCH})
    delete from mail using oldest where mail.mail_id = oldest.mail_id and oldest.expires_at < now()
      and oldest.created_at < now() - make_interval(days => ${MAIL_RETENTION_DAYS})`.execute(db);
  return Number(numAffectedRows) === RETENTION_BATCH;
}
