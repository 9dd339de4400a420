import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/database.ts';
import { KEY_IS_VALID } from './keys.store.ts';

/** Credentials of a connected client that the authorization server issues. */
export type TokenKind = 'AuthorizationCode' | 'AccessToken' | 'RefreshToken';

/** The agent key that a connected client has instead of a secret; the authorization server calls it a grant. */
export interface ConnectionId {
  siteId: number;
  keyId: number;
}

interface StoredToken {
  payload: string;
  consumedAt: Date | null;
}

export async function insertToken(
  db: Db,
  kind: TokenKind,
  tokenHash: Buffer,
  token: ConnectionId & { payload: string; seconds: number },
): Promise<void> {
  await sql`insert into agent_token (token_hash, kind, site_id, key_id, payload, expires_at)
    values (${tokenHash}, ${kind}, ${token.siteId}, ${token.keyId}, ${token.payload},
      now() + make_interval(secs => ${token.seconds}))`.execute(db);
}

export async function findToken(
  db: Db,
  kind: TokenKind,
  tokenHash: Buffer,
): Promise<StoredToken | undefined> {
  const { rows } = await sql<StoredToken>`
    select payload, consumed_at as "consumedAt" from agent_token
    where token_hash = ${tokenHash} and kind = ${kind}`.execute(db);
  return rows[0];
}

/** Marks a token as used. @returns whether it was not used before, so that of two requests at the same time one succeeds */
export async function consumeToken(db: Db, tokenHash: Buffer): Promise<boolean> {
  const { rows } = await sql`update agent_token set consumed_at = now()
    where token_hash = ${tokenHash} and consumed_at is null returning 1`.execute(db);
  return rows.length > 0;
}

export async function deleteToken(db: Db, tokenHash: Buffer): Promise<void> {
  await sql`delete from agent_token where token_hash = ${tokenHash}`.execute(db);
}

export async function deleteTokensOfConnection(
  db: Db,
  kind: TokenKind,
  { siteId, keyId }: ConnectionId,
): Promise<void> {
  await sql`delete from agent_token where site_id = ${siteId} and key_id = ${keyId} and kind = ${kind}`.execute(
    db,
  );
}

/** A connected client whose access has neither ended nor been revoked. */
interface Connection {
  userId: number;
  clientId: string;
  createdAt: Date;
  expiresAt: Date;
}

export async function findConnection(
  db: Db,
  { siteId, keyId }: ConnectionId,
): Promise<Connection | undefined> {
  const { rows } = await sql<Connection>`
    select k.user_id as "userId", k.client_id as "clientId", k.created_at as "createdAt", k.expires_at as "expiresAt"
    from agent_key k where k.site_id = ${siteId} and k.key_id = ${keyId} and k.client_id is not null and ${KEY_IS_VALID}`.execute(
    db,
  );
  return rows[0];
}

/** The person of a connection, for the audit log. */
export async function findConnectedPerson(
  db: Db,
  { siteId, keyId }: ConnectionId,
): Promise<{ userId: number; email: string } | undefined> {
  const { rows } = await sql<{ userId: number; email: string }>`
    select k.user_id as "userId", a.email from agent_key k join account a on a.user_id = k.user_id
    where k.site_id = ${siteId} and k.key_id = ${keyId}`.execute(db);
  return rows[0];
}

/** Whether anybody has connected this client. */
export async function isConnectedClient(db: Db, clientId: string): Promise<boolean> {
  const { rows } =
    await sql`select from agent_key k where k.client_id = ${clientId} and ${KEY_IS_VALID} limit 1`.execute(
      db,
    );
  return rows.length > 0;
}

/** Whether the agent server answers for any site; while it does not, there is no authorization server either. */
export async function isAnySiteServed(db: Db): Promise<boolean> {
  const { rows } = await sql`
    select from site s left join agent_site g on g.site_id = s.site_id
    where s.has_agent_server and coalesce(g.is_enabled, true) limit 1`.execute(db);
  return rows.length > 0;
}

/** Tokens deleted by one statement. */
const DELETE_BATCH_ROWS = 5_000;

/** Deletes a batch of expired tokens. @returns whether there may be more */
export async function deleteExpiredTokens(db: Db): Promise<boolean> {
  const { numAffectedRows } = await sql`delete from agent_token where token_hash in (
    select token_hash from agent_token where expires_at < now()
    order by expires_at limit ${DELETE_BATCH_ROWS} for update skip locked)`.execute(db);
  return numAffectedRows === BigInt(DELETE_BATCH_ROWS);
}
