import { sql } from 'kysely';
import {
  SESSION_IDLE_MINUTES,
  toInet,
  PROOF_TTL_MINUTES,
  SESSION_TTL_HOURS,
} from '../kernel/auth/callers.store.ts';
import type { Db, Tx } from '../kernel/db/database.ts';
import type { FactorKind, PendingStep } from '../kernel/db/tables/index.ts';
import { createSecret } from '../kernel/secret.ts';

/** Lifetime of a session that lacks its second factor. */
const PENDING_SESSION_MINUTES = 15;
/** Second-factor attempts per sign-in; after them it starts again with the password (T14). */
const MAX_FACTOR_ATTEMPTS = 5;
/** Known devices per user; beyond that the least recently used are forgotten. */
const MAX_KNOWN_DEVICES = 20;

interface NewSessionRow {
  tokenHash: Buffer;
  siteId: number;
  userId: number;
  ip: string;
  userAgent: string | undefined;
  /** Expiry taken over from a previous session; undefined: the full lifetime. */
  expiresAt: Date | undefined;
  /** Last proof of presence in the previous session; undefined: now. */
  provenAt: Date | null | undefined;
  verifiedBy: FactorKind | null;
  pending: PendingStep | null;
  isFederated: boolean;
}

/** Inserts a session. @returns its expiry and its id in the activity report */
export async function insertSession(
  tx: Tx,
  row: NewSessionRow,
): Promise<{ expiresAt: Date; sessionId: string }> {
  const minutes = row.pending ? PENDING_SESSION_MINUTES : SESSION_TTL_HOURS * 60;
  const updateLastActive = sql`update membership set last_active_at = now()
    where site_id = ${row.siteId} and user_id = ${row.userId} and ${row.pending === null}::boolean`;
  const { rows } = await sql<{ expiresAt: Date; sessionId: string }>`
    with seen as (${updateLastActive})
    insert into session (token_hash, site_id, user_id, expires_at, ip, user_agent, pending, proven_at, verified_by,
      is_federated)
    values (${row.tokenHash}, ${row.siteId}, ${row.userId},
      coalesce(${row.expiresAt ?? null}::timestamptz, now() + make_interval(mins => ${minutes})), ${toInet(row.ip)},
      ${row.userAgent ?? null}, ${row.pending}, ${row.provenAt === undefined ? sql`now()` : sql`${row.provenAt}::timestamptz`},
      ${row.verifiedBy}, ${row.isFederated})
    returning expires_at as "expiresAt", session_id as "sessionId"`.execute(tx);
  const [inserted] = rows;
  if (!inserted) throw new Error('The inserted session is missing');
  return inserted;
}

/**
 * Completes a pending session under a new token. @returns undefined when it has ended or another request completed it
 */
export async function completeSession(
  tx: Tx,
  tokenHash: Buffer,
  newHash: Buffer,
  verifiedBy: FactorKind,
): Promise<{ expiresAt: Date; sessionId: string } | undefined> {
  const { rows } = await sql<{ expiresAt: Date; sessionId: string }>`
    with whole as (
      update session set token_hash = ${newHash}, pending = null, tries = 0, verified_by = ${verifiedBy},
        proven_at = now(), last_seen_at = now(), expires_at = now() + make_interval(hours => ${SESSION_TTL_HOURS})
      where token_hash = ${tokenHash} and pending is not null and expires_at > now()
      returning site_id, user_id, expires_at, session_id),
    seen as (update membership m set last_active_at = now() from whole
      where m.site_id = whole.site_id and m.user_id = whole.user_id)
    select expires_at as "expiresAt", session_id as "sessionId" from whole`.execute(tx);
  return rows[0];
}

/**
 * Replaces the token of a session and marks its presence as proven; the expiry stays. @returns undefined when it has
 * ended
 */
export async function renewSession(
  tx: Tx,
  tokenHash: Buffer,
  newHash: Buffer,
  verifiedBy: FactorKind | undefined,
): Promise<Date | undefined> {
  const row = await tx
    .updateTable('session')
    .set({
      token_hash: newHash,
      proven_at: sql`now()`,
      last_seen_at: sql`now()`,
      ...(verifiedBy !== undefined && { verified_by: verifiedBy }),
    })
    .where('token_hash', '=', tokenHash)
    .where('pending', 'is', null)
    .returning('expires_at')
    .executeTakeFirst();
  return row?.expires_at;
}

/** Time until which the last proof of presence of a session is valid. */
export async function loadProofExpiry(db: Db, tokenHash: Buffer): Promise<Date> {
  const { rows } = await sql<{ until: Date }>`
    select proven_at + make_interval(mins => ${PROOF_TTL_MINUTES}) as until from session where token_hash = ${tokenHash}`.execute(
    db,
  );
  return rows[0]?.until ?? new Date(0);
}

/**
 * Counts a second-factor attempt before the proof is checked, so that of many concurrent ones at most five are.
 * @returns undefined when none is left or the sign-in is over; `isLast` with the fifth
 */
export async function countFactorAttempt(
  db: Db,
  tokenHash: Buffer,
  pending: PendingStep,
): Promise<{ isLast: boolean } | undefined> {
  const row = await db
    .updateTable('session')
    .set({ tries: sql`tries + 1` })
    .where('token_hash', '=', tokenHash)
    .where('pending', '=', pending)
    .where('tries', '<', MAX_FACTOR_ATTEMPTS)
    .where('expires_at', '>', sql<Date>`now()`)
    .returning('tries')
    .executeTakeFirst();
  return row && { isLast: row.tries >= MAX_FACTOR_ATTEMPTS };
}

/** Deleted session with its state before. */
export interface EndedSession {
  siteId: number;
  userId: number;
  sessionId: string;
  isExpired: boolean;
  pending: PendingStep | null;
}

/** Proofs of a session, which a session that replaces it takes over. */
export async function loadSessionProof(
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

/** Deletes a session. @returns undefined when it had already ended */
export async function deleteSession(tx: Tx, tokenHash: Buffer): Promise<EndedSession | undefined> {
  const { rows } = await sql<EndedSession>`
    delete from session where token_hash = ${tokenHash}
    returning site_id as "siteId", user_id as "userId", session_id as "sessionId", pending,
      expires_at < now() or last_seen_at < now() - make_interval(mins => ${SESSION_IDLE_MINUTES}) as "isExpired"`.execute(
    tx,
  );
  return rows[0];
}

/**
 * Deletes all sessions of a user on all sites, except one: a new password signs out whoever knew the old one. @returns
 * their number
 */
export async function deleteUserSessions(tx: Tx, userId: number, exceptTokenHash?: Buffer): Promise<number> {
  const query = tx.deleteFrom('session').where('user_id', '=', userId);
  const { numDeletedRows } = await (
    exceptTokenHash ? query.where('token_hash', '!=', exceptTokenHash) : query
  ).executeTakeFirst();
  return Number(numDeletedRows);
}

/**
 * Whether the user has signed in from this device before. A locked account still opens from there, so that an attacker
 * who guesses elsewhere cannot lock its owner out (T13).
 */
export async function isKnownDevice(
  db: Db,
  emailKey: string,
  deviceTokenHash: Buffer | undefined,
): Promise<boolean> {
  if (!deviceTokenHash) return false;
  const { rows } = await sql`select 1 from known_device d join account a using (user_id)
    where a.email_key = ${emailKey} and d.device_hash = ${deviceTokenHash}`.execute(db);
  return rows.length > 0;
}

/**
 * The hash of the device, if the user has signed in from it before; wrong codes from unknown devices do not count
 * against known ones.
 */
export async function findKnownDevice(
  db: Db,
  userId: number,
  deviceTokenHash: Buffer | undefined,
): Promise<Buffer | undefined> {
  if (!deviceTokenHash) return undefined;
  const row = await db
    .selectFrom('known_device')
    .select('user_id')
    .where('user_id', '=', userId)
    .where('device_hash', '=', deviceTokenHash)
    .executeTakeFirst();
  return row && deviceTokenHash;
}

/**
 * Deletes the known devices of a user, except one: after a password change, devices that knew the old password are
 * unknown.
 */
export async function deleteKnownDevices(
  tx: Tx,
  userId: number,
  exceptDeviceTokenHash?: Buffer,
): Promise<void> {
  const query = tx.deleteFrom('known_device').where('user_id', '=', userId);
  await (exceptDeviceTokenHash ? query.where('device_hash', '!=', exceptDeviceTokenHash) : query).execute();
}

/**
 * Saves the device as known to the user. @returns a new token for its cookie, if the device does not have a valid one
 */
export async function saveKnownDevice(
  tx: Tx,
  userId: number,
  deviceTokenHash: Buffer | undefined,
): Promise<string | undefined> {
  const secret = createSecret();
  const device = deviceTokenHash ?? null;
  const [{ rows }] = await Promise.all([
    sql<{ is_new: boolean }>`
      insert into known_device (user_id, device_hash) values (${userId}, case
        when exists (select from known_device where device_hash = ${device}::bytea) then ${device}::bytea else ${secret.hash}::bytea end)
      on conflict (user_id, device_hash) do update set last_seen_at = now()
      returning device_hash = ${secret.hash}::bytea as is_new`.execute(tx),
    sql`delete from known_device where user_id = ${userId} and device_hash not in (
      select device_hash from known_device where user_id = ${userId} order by last_seen_at desc limit ${sql.lit(MAX_KNOWN_DEVICES)})`.execute(
      tx,
    ),
  ]);
  return rows[0]?.is_new ? secret.plain : undefined;
}
