import { sql } from 'kysely';
import type { Scope } from '../../../contract/generated/types.gen.ts';
import {
  isAddressRefused,
  API_KEY_IS_VALID,
  CAN_ACT,
  LACKS_ONLY_LICENSE,
} from '../../kernel/auth/callers.store.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';

export interface ApiKey {
  clientId: number;
  siteId: number;
  userId: number;
  scopes: Scope[];
}

/**
 * Finds an active key by id and secret and records its use. The owner must be allowed to act, from an approved address
 * if restricted (spec 5.4).
 */
export async function findApiKey(
  db: Db,
  clientId: number,
  secretHash: Buffer,
  ip: string,
): Promise<ApiKey | undefined> {
  const { rows } = await sql<ApiKey>`
    update api_key k set last_used_at = now() from membership m
    where k.client_id = ${clientId} and k.secret_hash = ${secretHash} and ${API_KEY_IS_VALID}
      and m.site_id = k.site_id and m.user_id = k.user_id and ${CAN_ACT} and not (${isAddressRefused(ip)})
    returning k.client_id as "clientId", k.site_id as "siteId", k.user_id as "userId", k.scopes`.execute(db);
  return rows[0];
}

interface KeyOwner {
  siteId: number;
  userId: number;
  knowsSecret: boolean;
  /** Why the owner of a valid key cannot use it, if the secret is right and the reason is one of these. */
  refusal: 'address' | 'license' | null;
}

/** The owner of a key, active or not, and whether the secret is correct. */
export async function findKeyOwner(
  db: Db,
  clientId: number,
  secretHash: Buffer,
  ip: string,
): Promise<KeyOwner | undefined> {
  const { rows } = await sql<KeyOwner>`
    select k.site_id as "siteId", k.user_id as "userId", k.secret_hash = ${secretHash} as "knowsSecret",
      case when k.secret_hash <> ${secretHash} or not ${API_KEY_IS_VALID} then null
        when ${LACKS_ONLY_LICENSE} then 'license'
        when ${CAN_ACT} and ${isAddressRefused(ip)} then 'address' end as refusal
    from api_key k left join membership m on m.site_id = k.site_id and m.user_id = k.user_id
    where k.client_id = ${clientId}`.execute(db);
  return rows[0];
}

/**
 * Saves the hash of an access token and marks its owner as active. The token is valid for `maxSeconds` or until its key
 * expires. Returns the validity in seconds. Deletes some of the tokens that expired more than an hour ago.
 */
export async function insertAccessToken(
  tx: Tx,
  key: ApiKey,
  tokenHash: Buffer,
  scopes: readonly Scope[],
  maxSeconds: number,
): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    with expired as (delete from access_token where token_hash in (
      select token_hash from access_token where expires_at < now() - interval '1 hour'
      order by expires_at limit 100 for update skip locked)),
    seen as (update membership set last_active_at = now() where site_id = ${key.siteId} and user_id = ${key.userId}),
    lasting as (
      select greatest(0, least(${maxSeconds}::int, floor(extract(epoch from expires_at - now()))))::int as seconds
      from api_key where client_id = ${key.clientId})
    insert into access_token (token_hash, client_id, site_id, user_id, scopes, expires_at)
    select ${tokenHash}, ${key.clientId}, ${key.siteId}, ${key.userId}, ${[...scopes]}::text[],
      now() + make_interval(secs => seconds) from lasting
    returning (select seconds from lasting) as seconds`.execute(tx);
  return rows[0]?.seconds ?? 0;
}
