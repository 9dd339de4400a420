import { sql } from 'kysely';
import type { Db, Tx } from '../../../kernel/db/database.ts';
import { dbErrorCodes, getDbError } from '../../../kernel/db/driver/errors.ts';
import { FIRST_OFFSET } from '../../../kernel/outbox/events.store.ts';
import { createLeases } from '../../../kernel/tasks/leases.store.ts';

type DestinationKind = 'Webhook' | 'JetStream';

/** What a destination is; `secret` is encrypted: a signing key, or credentials as JSON. */
interface NewDestination {
  topicId: number;
  name: string;
  kind: DestinationKind;
  url: string;
  subject: string | null;
  secret: Buffer | null;
}

export interface StoredDestination {
  id: number;
  topicId: number;
  topicName: string;
  name: string;
  kind: DestinationKind;
  url: string;
  /** Subject of the messages; null for a webhook. */
  subject: string | null;
  /** Whether there is a signing key or credentials. */
  hasSecret: boolean;
  /** Offset of the next event to deliver, never before the oldest kept one. */
  next: number;
  /** Kept events that have not been delivered. */
  lag: number;
  isEnabled: boolean;
  failures: number;
  failingSince: Date | null;
  nextAttemptAt: Date;
  disabledReason: string | null;
  /** Events that retention deleted before they were delivered. */
  lostEvents: number;
  /** When a delivery or a resend last skipped such events. */
  lostDate: Date | null;
  version: number;
}

/** The present as a stored time that is due at once: columns hold milliseconds, to which `now()` may be rounded up. */
const NOW_STORED = sql`date_trunc('milliseconds', now())`;

/** Longer than a batch of answers that take as long as the egress guard waits (5 s). */
const LEASE_SECONDS = 120;
const leases = createLeases();

const SELECT = sql`select d.destination_id as id, d.topic_id as "topicId", t.name as "topicName", d.name, d.kind,
    d.url, d.subject, d.secret is not null as "hasSecret", kept.next, (t.next - kept.next) as lag, d.is_enabled as "isEnabled", d.failures,
    d.failing_since as "failingSince", d.next_attempt_at as "nextAttemptAt", d.disabled_reason as "disabledReason",
    d.lost_events + (kept.next - d.next) as "lostEvents", d.lost_at as "lostDate", d.version
  from publication_destination d join topic t on t.site_id = d.site_id and t.topic_id = d.topic_id
  left join lateral (select ${FIRST_OFFSET} as off from topic_event e
    where e.site_id = d.site_id and e.topic_id = d.topic_id order by e.off limit 1) oldest on true
  cross join lateral (select greatest(d.next, coalesce(oldest.off, t.next)) as next) kept`;

/** Destinations of a site by name. */
export async function listDestinations(db: Db, siteId: number): Promise<StoredDestination[]> {
  const { rows } =
    await sql<StoredDestination>`${SELECT} where d.site_id = ${siteId} order by lower(d.name)`.execute(db);
  return rows;
}

/** A destination; `lock` locks it until the transaction ends. */
export async function getDestination(
  db: Db,
  siteId: number,
  id: number,
  { lock = false } = {},
): Promise<StoredDestination | undefined> {
  const { rows } =
    await sql<StoredDestination>`${SELECT} where d.site_id = ${siteId} and d.destination_id = ${id}
    ${lock ? sql`for update of d` : sql``}`.execute(db);
  return rows[0];
}

/** Inserts a destination that begins with the next event of its topic. Returns its id, or undefined if the name is taken. */
export async function insertDestination(
  tx: Tx,
  siteId: number,
  { topicId, name, kind, url, subject, secret }: NewDestination,
): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    insert into publication_destination (site_id, topic_id, name, kind, url, subject, secret, next)
    select t.site_id, t.topic_id, ${name}, ${kind}, ${url}, ${subject}::text, ${secret}::bytea, t.next from topic t
    where t.site_id = ${siteId} and t.topic_id = ${topicId}
    on conflict do nothing returning destination_id as id`.execute(tx);
  return rows[0]?.id;
}

/**
 * Changes a destination; a change lets it be tried at once, whatever becomes of a message on its way to the former address. `secret` undefined
 * keeps it. Returns false if another one has the name.
 */
export async function updateDestination(
  tx: Tx,
  siteId: number,
  id: number,
  {
    name,
    url,
    subject,
    secret,
    isEnabled,
  }: Pick<NewDestination, 'name' | 'url' | 'subject'> & {
    secret: Buffer | null | undefined;
    isEnabled: boolean;
  },
): Promise<boolean> {
  try {
    await sql`
      update publication_destination set name = ${name}, url = ${url}, subject = ${subject}::text,
        secret = case when ${secret === undefined} then secret else ${secret ?? null}::bytea end, is_enabled = ${isEnabled}, failures = 0, failing_since = null,
        disabled_reason = null, next_attempt_at = ${NOW_STORED}, version = version + 1, ${leases.revoke}
      where site_id = ${siteId} and destination_id = ${id}`.execute(tx);
    return true;
  } catch (error) {
    if (getDbError(error)?.code === dbErrorCodes.uniqueViolation) return false;
    throw error;
  }
}

export async function deleteDestination(tx: Tx, siteId: number, id: number): Promise<void> {
  await sql`delete from publication_destination where site_id = ${siteId} and destination_id = ${id}`.execute(
    tx,
  );
}

/**
 * Continues with the event at this offset, whatever has been delivered. `lostEvents` has those that were skipped before, which its row
 * may not count yet.
 */
export async function rewindDestination(
  tx: Tx,
  siteId: number,
  { id, next, lostEvents }: Pick<StoredDestination, 'id' | 'next' | 'lostEvents'>,
): Promise<void> {
  await sql`
    update publication_destination set next = ${next}, failures = 0, failing_since = null, next_attempt_at = ${NOW_STORED},
      lost_events = ${lostEvents}, lost_at = case when lost_events = ${lostEvents} then lost_at else now() end, ${leases.revoke}
    where site_id = ${siteId} and destination_id = ${id}`.execute(tx);
}

/** Offset of the oldest kept event of a topic at or after a moment; the next offset if there is none. */
export async function findOffsetSince(db: Db, siteId: number, topicId: number, since: Date): Promise<number> {
  const { rows } = await sql<{ off: number }>`
    select coalesce(min(${FIRST_OFFSET}), (select next from topic where site_id = ${siteId} and topic_id = ${topicId})) as off
    from topic_event e where e.site_id = ${siteId} and e.topic_id = ${topicId} and e.at >= ${since}::timestamptz`.execute(
    db,
  );
  return rows[0]?.off ?? 0;
}

/** A destination with its key, for a delivery. */
export interface DueDestination {
  siteId: number;
  id: number;
  topicId: number;
  topicName: string;
  name: string;
  kind: DestinationKind;
  url: string;
  subject: string | null;
  secret: Buffer | null;
  next: number;
  /** Offset of the oldest kept event; the next offset of the topic if there is none. */
  oldest: number;
  /** When events were last lost. */
  lostDate: Date | null;
  failures: number;
  failingSince: Date | null;
  fence: number;
  /** Time of the database when the lease was taken: processes need not agree about the time. */
  leasedAt: Date;
}

/** Destinations with events to deliver now. */
export async function listDueDestinations(db: Db): Promise<{ siteId: number; id: number; name: string }[]> {
  const { rows } = await sql<{ siteId: number; id: number; name: string }>`
    select d.site_id as "siteId", d.destination_id as id, d.name from publication_destination d
    join topic t on t.site_id = d.site_id and t.topic_id = d.topic_id
    where d.is_enabled and d.next < t.next and d.next_attempt_at <= now() and not ${leases.isHeld('d')}
    order by d.site_id, d.destination_id`.execute(db);
  return rows;
}

/** Takes the lease of a destination with events to deliver; undefined if another process was first. */
export async function leaseDestination(
  db: Db,
  siteId: number,
  id: number,
): Promise<DueDestination | undefined> {
  const { rows } = await sql<DueDestination>`
    update publication_destination d set ${leases.claim(LEASE_SECONDS, 'd')}
    from topic t
    where d.site_id = ${siteId} and d.destination_id = ${id} and t.site_id = d.site_id and t.topic_id = d.topic_id
      and d.is_enabled and d.next < t.next and d.next_attempt_at <= now() and not ${leases.isHeld('d')}
    returning d.site_id as "siteId", d.destination_id as id, d.topic_id as "topicId", t.name as "topicName", d.name, d.kind, d.url,
      d.subject, d.secret, d.next, coalesce((select ${FIRST_OFFSET} from topic_event e
        where e.site_id = d.site_id and e.topic_id = d.topic_id order by e.off limit 1), t.next) as oldest,
      d.lost_at as "lostDate", d.failures, d.failing_since as "failingSince", d.fence, now() as "leasedAt"`.execute(
    db,
  );
  return rows[0];
}

/** Continues with the event at this offset and counts those before it as lost; false when the lease has lapsed or the destination was changed. */
export async function skipLostEvents(
  tx: Tx,
  { siteId, id, fence }: DueDestination,
  next: number,
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update publication_destination set lost_events = lost_events + (${next}::bigint - next), lost_at = now(), next = ${next}
    where site_id = ${siteId} and destination_id = ${id} and ${leases.isUnclaimedSince(fence)}`.execute(tx);
  return numAffectedRows > 0n;
}

/** The encrypted key or credentials of a destination. */
export async function getSecret(db: Db, siteId: number, id: number): Promise<Buffer | null> {
  const { rows } = await sql<{ secret: Buffer | null }>`
    select secret from publication_destination where site_id = ${siteId} and destination_id = ${id}`.execute(
    db,
  );
  return rows[0]?.secret ?? null;
}

export interface NewAttempt {
  off: number;
  eventId: string;
  /** Address of the destination when the message was sent, for JetStream with the subject behind a space. */
  address: string;
  durationMs: number;
  status: number | null;
  detail: string;
}

const ATTEMPT_COLUMNS = sql`attempt_id as id, off, event_id as "eventId", at, address, duration_ms as "durationMs", status, detail`;

/** Records an attempt; undefined when the destination has been deleted, for which it waits if that is not committed yet. */
export async function insertAttempt(
  db: Db,
  siteId: number,
  id: number,
  attempt: NewAttempt,
): Promise<StoredAttempt | undefined> {
  const { rows } = await sql<StoredAttempt>`
    insert into delivery_attempt (site_id, destination_id, off, event_id, address, duration_ms, status, detail)
    select ${siteId}, ${id}, ${attempt.off}, ${attempt.eventId}::uuid, ${attempt.address}, ${attempt.durationMs}, ${attempt.status}::int,
      ${attempt.detail}
    from publication_destination where site_id = ${siteId} and destination_id = ${id} for key share
    returning ${ATTEMPT_COLUMNS}`.execute(db);
  return rows[0];
}

/** What a delivery changes in its destination. */
export interface DeliveryState {
  next: number;
  failures: number;
  failingSince: Date | null;
  retryInMs: number;
  /** Switches the destination off. */
  disabledReason: string | null;
  /** Whether the process keeps the lease. */
  keepsLease: boolean;
}

/** Saves the outcome of a delivery; false when the lease has lapsed or the destination was changed. */
export async function saveDelivery(
  db: Db,
  { siteId, id, fence }: DueDestination,
  state: DeliveryState,
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update publication_destination set next = ${state.next}, failures = ${state.failures},
      failing_since = ${state.failingSince}::timestamptz,
      next_attempt_at = ${NOW_STORED} + make_interval(secs => ${state.retryInMs / 1000}::float8),
      is_enabled = is_enabled and ${state.disabledReason}::text is null,
      disabled_reason = coalesce(${state.disabledReason}::text, disabled_reason),
      ${state.keepsLease ? leases.renew(LEASE_SECONDS) : leases.end}
    where site_id = ${siteId} and destination_id = ${id} and ${leases.isUnclaimedSince(fence)}`.execute(db);
  return numAffectedRows > 0n;
}

export interface StoredAttempt extends Omit<NewAttempt, 'address'> {
  id: number;
  at: Date;
  /** Null for an attempt that an older version recorded. */
  address: string | null;
}

/** The newest attempts, or those before the attempt `before`. */
export async function listAttempts(
  db: Db,
  siteId: number,
  id: number,
  { before, limit }: { before: number | undefined; limit: number },
): Promise<StoredAttempt[]> {
  const { rows } = await sql<StoredAttempt>`
    select ${ATTEMPT_COLUMNS} from delivery_attempt
    where site_id = ${siteId} and destination_id = ${id} and attempt_id < ${before ?? Number.MAX_SAFE_INTEGER}
    order by attempt_id desc limit ${limit}`.execute(db);
  return rows;
}

/** Deletes attempts that are older than the kept events, at most `limit` of them; returns their number. */
export async function deleteOldAttempts(db: Db, days: number, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from delivery_attempt where (site_id, destination_id, attempt_id) in (
      select site_id, destination_id, attempt_id from delivery_attempt
      where at < now() - make_interval(days => ${days}::int) order by at limit ${limit})`.execute(db);
  return Number(numAffectedRows);
}
