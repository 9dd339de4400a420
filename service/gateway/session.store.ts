import { sql } from 'kysely';
import { IDLE_MINUTES, inet, PROOF_MINUTES, SESSION_HOURS } from '../kernel/auth/store.ts';
import type { Db, Tx } from '../kernel/db/database.ts';
import type { FactorKind, PendingStep } from '../kernel/db/tables.ts';
import { newSecret } from '../kernel/secret.ts';

/** A sign-in that lacks its second factor waits this long for it. */
const HALF_MINUTES = 15;
/** Proofs that one sign-in may try; then it begins anew with the password (T14). */
const TRIES = 5;
/** Browsers by which one person is known; the one seen longest ago goes first. */
const DEVICES = 20;

interface NewRow {
  tokenHash: Buffer;
  siteId: number;
  userId: number;
  ip: string;
  userAgent: string | undefined;
  /** The end of the session that this one goes on; a new one has the whole time. */
  until: Date | undefined;
  /** When the session that this one goes on saw its last proof; a new one has just seen one. */
  provenAt: Date | null | undefined;
  verifiedBy: FactorKind | null;
  pending: PendingStep | null;
  isFederated: boolean;
}

/** Begins a session and returns when it ends at the latest, and its number in the activity report. */
export async function insertSession(tx: Tx, row: NewRow): Promise<{ expires: Date; sessionId: string }> {
  const minutes = row.pending ? HALF_MINUTES : SESSION_HOURS * 60;
  const seen = sql`update membership set last_active_at = now()
    where site_id = ${row.siteId} and user_id = ${row.userId} and ${row.pending === null}::boolean`;
  const { rows } = await sql<{ expires: Date; sessionId: string }>`
    with seen as (${seen})
    insert into session (token_hash, site_id, user_id, expires_at, ip, user_agent, pending, proven_at, verified_by,
      is_federated)
    values (${row.tokenHash}, ${row.siteId}, ${row.userId},
      coalesce(${row.until ?? null}::timestamptz, now() + make_interval(mins => ${minutes})), ${inet(row.ip)},
      ${row.userAgent ?? null}, ${row.pending}, ${row.provenAt === undefined ? sql`now()` : sql`${row.provenAt}::timestamptz`},
      ${row.verifiedBy}, ${row.isFederated})
    returning expires_at as expires, session_id as "sessionId"`.execute(tx);
  const [begun] = rows;
  if (!begun) throw new Error('An inserted session is there');
  return begun;
}

/** Makes a sign-in whole under a new secret; undefined when it has ended, or another request made it whole. */
export async function completeSession(
  tx: Tx,
  tokenHash: Buffer,
  newHash: Buffer,
  verifiedBy: FactorKind,
): Promise<{ expires: Date; sessionId: string } | undefined> {
  const { rows } = await sql<{ expires: Date; sessionId: string }>`
    with whole as (
      update session set token_hash = ${newHash}, pending = null, tries = 0, verified_by = ${verifiedBy},
        proven_at = now(), last_seen_at = now(), expires_at = now() + make_interval(hours => ${SESSION_HOURS})
      where token_hash = ${tokenHash} and pending is not null and expires_at > now()
      returning site_id, user_id, expires_at, session_id),
    seen as (update membership m set last_active_at = now() from whole
      where m.site_id = whole.site_id and m.user_id = whole.user_id)
    select expires_at as expires, session_id as "sessionId" from whole`.execute(tx);
  return rows[0];
}

/** A session goes on under a new secret, just proven; when it ends stays. Undefined when it has ended. */
export async function renewSession(
  tx: Tx,
  tokenHash: Buffer,
  newHash: Buffer,
  verifiedBy: FactorKind | undefined,
): Promise<Date | undefined> {
  const { rows } = await sql<{ expires: Date }>`
    update session set token_hash = ${newHash}, proven_at = now(), last_seen_at = now(),
      verified_by = coalesce(${verifiedBy ?? null}::text, verified_by)
    where token_hash = ${tokenHash} and pending is null returning expires_at as expires`.execute(tx);
  return rows[0]?.expires;
}

/** When the last proof of a session stops to hold. */
export async function provenUntil(db: Db, tokenHash: Buffer): Promise<Date> {
  const { rows } = await sql<{ until: Date }>`
    select proven_at + make_interval(mins => ${PROOF_MINUTES}) as until from session where token_hash = ${tokenHash}`.execute(
    db,
  );
  return rows[0]?.until ?? new Date(0);
}

/**
 * Counts one more try of a sign-in that lacks its second factor, before it is looked at: of many at the same time no
 * more than five are. Undefined when they are used up, or the sign-in is over; `last` with the fifth.
 */
export async function countTry(
  db: Db,
  tokenHash: Buffer,
  pending: PendingStep,
): Promise<{ last: boolean } | undefined> {
  const { rows } = await sql<{ tries: number }>`
    update session set tries = tries + 1
    where token_hash = ${tokenHash} and pending = ${pending} and tries < ${TRIES} and expires_at > now()
    returning tries`.execute(db);
  const [row] = rows;
  return row && { last: row.tries >= TRIES };
}

/** A session that was ended, and how it stood. */
export interface EndedSession {
  siteId: number;
  userId: number;
  sessionId: string;
  ranOut: boolean;
  pending: PendingStep | null;
}

/** What goes on where another session follows this one. */
export async function readSession(
  db: Db,
  tokenHash: Buffer,
): Promise<{ provenAt: Date | null; verifiedBy: FactorKind | null } | undefined> {
  const row = await db
    .selectFrom('session')
    .select(['proven_at as provenAt', 'verified_by as verifiedBy'])
    .where('token_hash', '=', tokenHash)
    .executeTakeFirst();
  return row;
}

/** Ends a session; undefined when it had ended already. */
export async function deleteSession(tx: Tx, tokenHash: Buffer): Promise<EndedSession | undefined> {
  const { rows } = await sql<EndedSession>`
    delete from session where token_hash = ${tokenHash}
    returning site_id as "siteId", user_id as "userId", session_id as "sessionId", pending,
      expires_at < now() or last_seen_at < now() - make_interval(mins => ${IDLE_MINUTES}) as "ranOut"`.execute(
    tx,
  );
  return rows[0];
}

/** Ends every session of the person, on all sites, but one: a new password shuts out who knew the old one. */
export async function deleteSessionsOf(tx: Tx, userId: number, butFor?: Buffer): Promise<number> {
  const query = tx.deleteFrom('session').where('user_id', '=', userId);
  const { numDeletedRows } = await (
    butFor ? query.where('token_hash', '!=', butFor) : query
  ).executeTakeFirst();
  return Number(numDeletedRows);
}

/**
 * Whether the person has signed in from this browser before: a resting account still opens from there, so that who
 * guesses elsewhere cannot shut its owner out (T13).
 */
export async function isKnownDevice(db: Db, emailKey: string, device: Buffer | undefined): Promise<boolean> {
  if (!device) return false;
  const { rows } = await sql`select 1 from known_device d join account a using (user_id)
    where a.email_key = ${emailKey} and d.device_hash = ${device}`.execute(db);
  return rows.length > 0;
}

/** The browser, where the person has signed in from it before: a stranger's wrong codes do not count against them there. */
export async function knownDeviceOf(
  db: Db,
  userId: number,
  device: Buffer | undefined,
): Promise<Buffer | undefined> {
  if (!device) return undefined;
  const { rows } =
    await sql`select 1 from known_device where user_id = ${userId} and device_hash = ${device}`.execute(db);
  return rows.length > 0 ? device : undefined;
}

/** Forgets browsers, but for one: with a new password who knew the old one is a stranger again. */
export async function forgetDevices(tx: Tx, userId: number, butFor?: Buffer): Promise<void> {
  await sql`delete from known_device where user_id = ${userId}
    and device_hash is distinct from ${butFor ?? null}`.execute(tx);
}

/** Knows the browser from now on; returns the secret for its cookie, where it does not have one that we made. */
export async function rememberDevice(
  tx: Tx,
  userId: number,
  device: Buffer | undefined,
): Promise<string | undefined> {
  const isOurs =
    device !== undefined &&
    (await sql`select 1 from known_device where device_hash = ${device} limit 1`.execute(tx)).rows.length > 0;
  const secret = isOurs ? undefined : newSecret();
  await sql`insert into known_device (user_id, device_hash) values (${userId}, ${secret?.hash ?? device ?? null})
    on conflict (user_id, device_hash) do update set last_seen_at = now()`.execute(tx);
  await sql`delete from known_device where user_id = ${userId} and device_hash not in (
    select device_hash from known_device where user_id = ${userId} order by last_seen_at desc limit ${DEVICES})`.execute(
    tx,
  );
  return secret?.plain;
}
