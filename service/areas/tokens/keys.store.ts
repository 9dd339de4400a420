import { sql } from 'kysely';
import type { Scope } from '../../../contract/generated/types.gen.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';

export interface OwnKey {
  clientId: number;
  scopes: Scope[];
  createdAt: Date;
  lastUsedAt: Date | null;
}

/** The key of a user of a site that is turned on. */
export async function findOwnKey(db: Db, siteId: number, userId: number): Promise<OwnKey | undefined> {
  const { rows } = await sql<OwnKey>`
    select client_id as "clientId", scopes, created_at as "createdAt", last_used_at as "lastUsedAt"
    from api_key where site_id = ${siteId} and user_id = ${userId} and disabled_at is null`.execute(db);
  return rows[0];
}

/** A new key; undefined when the user has one that is turned on: of two at once the second is refused. */
export async function insertKey(
  tx: Tx,
  key: { siteId: number; userId: number; secretHash: Buffer; scopes: readonly Scope[] },
): Promise<{ clientId: number; createdAt: Date } | undefined> {
  const { rows } = await sql<{ clientId: number; createdAt: Date }>`
    insert into api_key (site_id, user_id, secret_hash, scopes)
    values (${key.siteId}, ${key.userId}, ${key.secretHash}, ${[...key.scopes]}::text[])
    on conflict (site_id, user_id) where disabled_at is null do nothing
    returning client_id as "clientId", created_at as "createdAt"`.execute(tx);
  return rows[0];
}

/** Turns the key off for good (spec 5.3); its tokens end with it. Answers its id, undefined where none was on. */
export async function disableKey(tx: Tx, siteId: number, userId: number): Promise<number | undefined> {
  const { rows } = await sql<{ clientId: number }>`
    update api_key set disabled_at = now() where site_id = ${siteId} and user_id = ${userId} and disabled_at is null
    returning client_id as "clientId"`.execute(tx);
  const [row] = rows;
  if (row) await tx.deleteFrom('access_token').where('client_id', '=', row.clientId).execute();
  return row?.clientId;
}

/** Access tokens of a key that hold now. */
export async function countTokens(db: Db, clientId: number): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from access_token where client_id = ${clientId} and expires_at > now()`.execute(
    db,
  );
  return rows[0]?.n ?? 0;
}
