import { sql } from 'kysely';
import { KEY_REMINDER_DAYS } from '../../../contract/rules/api-keys.ts';
import type { Scope } from '../../../contract/generated/types.gen.ts';
import { KEY_HOLDS } from '../../kernel/auth/store.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';

export interface OwnKey {
  clientId: number;
  scopes: Scope[];
  createdAt: Date;
  lastUsedAt: Date | null;
  expiresAt: Date | null;
  /** It was on until it expired, and is as good as turned off. */
  isExpired: boolean;
}

/** The last key of a user of a site, where it is on or was until it expired; one that somebody turned off is gone. */
export async function findKey(db: Db, siteId: number, userId: number): Promise<OwnKey | undefined> {
  const { rows } = await sql<OwnKey>`
    select client_id as "clientId", scopes, created_at as "createdAt", last_used_at as "lastUsedAt",
      expires_at as "expiresAt", not ${KEY_HOLDS} as "isExpired"
    from (select * from api_key where site_id = ${siteId} and user_id = ${userId} order by client_id desc limit 1) k
    where k.disabled_at is null or k.disabled_at >= k.expires_at`.execute(db);
  return rows[0];
}

/**
 * A new key; undefined when the user has one that is on: of two at once the second is refused. One that has expired is
 * in the way until it was ended (ends.ts).
 */
export async function insertKey(
  tx: Tx,
  key: { siteId: number; userId: number; secretHash: Buffer; scopes: readonly Scope[]; days: number | null },
): Promise<{ clientId: number; createdAt: Date; expiresAt: Date | null } | undefined> {
  // Who turns on a key for few days knows when it ends.
  const { rows } = await sql<{ clientId: number; createdAt: Date; expiresAt: Date | null }>`
    insert into api_key (site_id, user_id, secret_hash, scopes, expires_at, reminded_at)
    values (${key.siteId}, ${key.userId}, ${key.secretHash}, ${[...key.scopes]}::text[],
      now() + make_interval(hours => 24 * ${key.days}::int),
      case when ${key.days}::int <= ${KEY_REMINDER_DAYS}::int then now() end)
    on conflict (site_id, user_id) where disabled_at is null do nothing
    returning client_id as "clientId", created_at as "createdAt", expires_at as "expiresAt"`.execute(tx);
  return rows[0];
}

/** Turns the key off for good (spec 5.3); its tokens end with it. Answers its id, undefined where none was on. */
export async function disableKey(tx: Tx, siteId: number, userId: number): Promise<number | undefined> {
  const { rows } = await sql<{ clientId: number }>`
    update api_key k set disabled_at = now() where k.site_id = ${siteId} and k.user_id = ${userId} and ${KEY_HOLDS}
    returning client_id as "clientId"`.execute(tx);
  const [row] = rows;
  if (row) await endTokens(tx, [row.clientId]);
  return row?.clientId;
}

/** Ends the access tokens of these keys. */
export async function endTokens(tx: Tx, clientIds: readonly number[]): Promise<void> {
  await tx.deleteFrom('access_token').where('client_id', 'in', clientIds).execute();
}

/** Access tokens of a key that hold now. */
export async function countTokens(db: Db, clientId: number): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from access_token where client_id = ${clientId} and expires_at > now()`.execute(
    db,
  );
  return rows[0]?.n ?? 0;
}
