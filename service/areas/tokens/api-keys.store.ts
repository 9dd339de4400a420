import { sql } from 'kysely';
import type { Scope } from '../../../contract/generated/types.gen.ts';
import { API_KEY_REMINDER_DAYS } from '../../../contract/rules/people/users.ts';
import { API_KEY_IS_VALID, CAN_ACT } from '../../kernel/auth/callers.store.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';

export interface StoredApiKey {
  clientId: number;
  scopes: Scope[];
  createdAt: Date;
  lastUsedAt: Date | null;
  expiresAt: Date | null;
  /** Whether the key expired; an expired key cannot be used, as if it were turned off. */
  isExpired: boolean;
}

/** The user's latest key on the site, active or expired; undefined if it was turned off. */
export async function findLatestKey(
  db: Db,
  siteId: number,
  userId: number,
): Promise<StoredApiKey | undefined> {
  const { rows } = await sql<StoredApiKey>`
    select client_id as "clientId", scopes, created_at as "createdAt", last_used_at as "lastUsedAt",
      expires_at as "expiresAt", not ${API_KEY_IS_VALID} as "isExpired"
    from (select * from api_key where site_id = ${siteId} and user_id = ${userId} order by client_id desc limit 1) k
    where k.disabled_at is null or k.disabled_at >= k.expires_at`.execute(db);
  return rows[0];
}

/**
 * Inserts a key. Returns undefined if the user has an active key; of concurrent requests one succeeds. An expired key
 * also blocks until `expireKeys` has disabled it.
 */
export async function insertKey(
  tx: Tx,
  key: { siteId: number; userId: number; secretHash: Buffer; scopes: readonly Scope[]; days: number | null },
): Promise<{ clientId: number; createdAt: Date; expiresAt: Date | null } | undefined> {
  // A key valid for fewer days than the reminder period needs no reminder.
  const { rows } = await sql<{ clientId: number; createdAt: Date; expiresAt: Date | null }>`
    insert into api_key (site_id, user_id, secret_hash, scopes, expires_at, reminded_at)
    values (${key.siteId}, ${key.userId}, ${key.secretHash}, ${[...key.scopes]}::text[],
      now() + make_interval(hours => 24 * ${key.days}::int),
      case when ${key.days}::int <= ${API_KEY_REMINDER_DAYS}::int then now() end)
    on conflict (site_id, user_id) where disabled_at is null do nothing
    returning client_id as "clientId", created_at as "createdAt", expires_at as "expiresAt"`.execute(tx);
  return rows[0];
}

/** Turns the key off permanently (spec 5.3) and deletes its tokens. Returns its id, or undefined if none was active. */
export async function disableKey(tx: Tx, siteId: number, userId: number): Promise<number | undefined> {
  const { rows } = await sql<{ clientId: number }>`
    update api_key k set disabled_at = now() where k.site_id = ${siteId} and k.user_id = ${userId} and ${API_KEY_IS_VALID}
    returning client_id as "clientId"`.execute(tx);
  const [row] = rows;
  if (row) await deleteAccessTokens(tx, [row.clientId]);
  return row?.clientId;
}

/** Deletes the access tokens of the keys. */
export async function deleteAccessTokens(tx: Tx, clientIds: readonly number[]): Promise<void> {
  await tx.deleteFrom('access_token').where('client_id', 'in', clientIds).execute();
}

/** Number of valid access tokens of a key. */
export async function countAccessTokens(db: Db, clientId: number): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from access_token where client_id = ${clientId} and expires_at > now()`.execute(
    db,
  );
  return rows[0]?.n ?? 0;
}

/** The current time in milliseconds, the precision of the columns compared with it. */
const NOW = sql`now()::timestamptz(3)`;
const IS_WITHIN_REMINDER_PERIOD = sql<boolean>`k.disabled_at is null and k.expires_at <= ${NOW} + make_interval(hours => 24 * ${API_KEY_REMINDER_DAYS}::int)`;

/** Sites with keys that have expired, or that expire soon and have no reminder yet. */
export async function listSitesWithDueKeys(db: Db): Promise<number[]> {
  const { rows } = await sql<{ site_id: number }>`
    select distinct k.site_id from api_key k
    where ${IS_WITHIN_REMINDER_PERIOD} and (k.expires_at <= ${NOW} or k.reminded_at is null) order by k.site_id`.execute(
    db,
  );
  return rows.map((row) => row.site_id);
}

interface ExpiredKey {
  clientId: number;
  userId: number;
  expiredAt: Date;
}

/**
 * Disables a batch of expired keys, of one user or of all, as of their expiry date. Keys locked by other processes are
 * skipped.
 */
export async function disableExpiredKeys(
  tx: Tx,
  siteId: number,
  { userId, limit }: { userId?: number | undefined; limit: number },
): Promise<ExpiredKey[]> {
  const { rows } = await sql<ExpiredKey>`
    with due as materialized (
      select k.client_id from api_key k
      where k.site_id = ${siteId} and k.disabled_at is null and k.expires_at <= ${NOW}
        ${userId === undefined ? sql`` : sql`and k.user_id = ${userId}`}
      order by k.client_id limit ${limit} for update skip locked)
    update api_key k set disabled_at = k.expires_at from due where k.client_id = due.client_id
    returning k.client_id as "clientId", k.user_id as "userId", k.expires_at as "expiredAt"`.execute(tx);
  return rows;
}

/** A key that expires soon, with its owner. */
interface ExpiringKey {
  clientId: number;
  userId: number;
  email: string;
  firstName: string;
  endsAt: Date;
  /** Hours until expiry, rounded up. */
  hours: number;
}

/**
 * Marks a batch of keys that expire soon as reminded, so that concurrent processes send each reminder once. Owners who
 * cannot act get none.
 */
export async function claimReminders(tx: Tx, siteId: number, limit: number): Promise<ExpiringKey[]> {
  const { rows: claimed } = await sql<{ clientId: number }>`
    with due as materialized (
      select k.client_id from api_key k join membership m on m.site_id = k.site_id and m.user_id = k.user_id
      where k.site_id = ${siteId} and ${IS_WITHIN_REMINDER_PERIOD} and k.expires_at > ${NOW} and k.reminded_at is null and ${CAN_ACT}
      order by k.client_id limit ${limit} for update of k skip locked)
    update api_key k set reminded_at = now() from due where k.client_id = due.client_id
    returning k.client_id as "clientId"`.execute(tx);
  if (claimed.length === 0) return [];
  const { rows } = await sql<ExpiringKey>`
    select k.client_id as "clientId", a.user_id as "userId", a.email, a.first_name as "firstName",
      k.expires_at as "endsAt", ceil(extract(epoch from k.expires_at - now()) / 3600)::int as hours
    from api_key k join account a on a.user_id = k.user_id
    where k.client_id = any(${claimed.map(({ clientId }) => clientId)}::int[]) order by k.client_id`.execute(
    tx,
  );
  return rows;
}
