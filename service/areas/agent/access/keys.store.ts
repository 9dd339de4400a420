import { sql } from 'kysely';
import type { AgentKey, AgentKeyState } from '../../../../contract/generated/types.gen.ts';
import type { Capability } from '../../../../contract/generated/types.gen.ts';
import { CAN_ACT, MEMBER_CAPABILITIES } from '../../../kernel/auth/callers.store.ts';
import type { Db, Tx } from '../../../kernel/db/database.ts';
import { LEDGER_DAYS } from '../limits.ts';

/** The current time with the precision of the columns, so that a key ends at the same instant in every process. */
const NOW = sql`now()::timestamptz(3)`;
/** SQL condition: the key `k` is neither revoked nor expired; it may be paused. */
export const KEY_IS_VALID = sql<boolean>`(k.revoked_at is null and k.expires_at > ${NOW})`;
const KEY_STATE = sql<AgentKeyState>`case when k.revoked_at is not null then 'Revoked' when k.expires_at <= ${NOW} then 'Expired' when k.paused_at is not null then 'Paused' else 'Active' end`;
/** SQL expression: the day that budgets count. */
export const TODAY = sql`(now() at time zone 'UTC')::date`;

interface KeyFilter {
  siteId: number;
  keyId?: number | undefined;
  userId?: number | undefined;
  states?: readonly AgentKeyState[] | undefined;
}

type KeyRow = Omit<
  AgentKey,
  'createdDate' | 'expiresDate' | 'pausedDate' | 'revokedDate' | 'lastUsedDate'
> & {
  createdAt: Date;
  expiresAt: Date;
  pausedAt: Date | null;
  revokedAt: Date | null;
  lastUsedAt: Date | null;
};

const MAX_LISTED_KEYS = 1_000;

/** States of keys that have not ended. */
export const LASTING_STATES: readonly AgentKeyState[] = ['Active', 'Paused'];

/** Active and paused keys, then those that ended in the time of the ledger, newest first. */
export async function listKeys(db: Db, { siteId, keyId, userId, states }: KeyFilter): Promise<AgentKey[]> {
  const { rows } = await sql<KeyRow>`
    select * from (
      select k.key_id as id, k.name, ${KEY_STATE} as state, k.user_id as "userId",
        trim(a.first_name || ' ' || a.last_name) as "userName", a.email as "userEmail", k.entry_type_ids as "entryTypeIds",
        k.client_id as "clientId", k.calls_per_day as "callsPerDay", case when k.day = ${TODAY} then k.day_calls else 0 end as "callsToday",
        k.created_at as "createdAt", k.created_by as "createdBy", k.expires_at as "expiresAt", k.paused_at as "pausedAt",
        k.paused_by as "pausedBy", k.revoked_at as "revokedAt",
        k.revoked_by as "revokedBy", k.last_used_at as "lastUsedAt"
      from agent_key k join account a on a.user_id = k.user_id
      where k.site_id = ${siteId} and (${keyId ?? null}::int is null or k.key_id = ${keyId ?? null})
        and (${userId ?? null}::int is null or k.user_id = ${userId ?? null})) k
    where (${states ?? null}::text[] is null or state = any(${states ?? null}::text[]))
      and (state = any(${LASTING_STATES}::text[]) or least("revokedAt", "expiresAt") > now() - make_interval(days => ${LEDGER_DAYS}))
    order by state <> all(${LASTING_STATES}::text[]), id desc limit ${sql.lit(MAX_LISTED_KEYS)}`.execute(db);
  return rows.map(({ createdAt, expiresAt, pausedAt, revokedAt, lastUsedAt, ...key }) => ({
    ...key,
    createdDate: createdAt.toISOString(),
    expiresDate: expiresAt.toISOString(),
    pausedDate: pausedAt?.toISOString() ?? null,
    revokedDate: revokedAt?.toISOString() ?? null,
    lastUsedDate: lastUsedAt?.toISOString() ?? null,
  }));
}

interface KeyOwner {
  capabilities: Capability[];
  /** Names of the active keys, without those of connected clients, which name themselves. */
  activeNames: string[];
  /** Number of active keys, with connected clients. */
  activeKeys: number;
}

/** What a key of this person could do, and which active keys the person has; undefined: not a member who may act. */
export async function findKeyOwner(tx: Db, siteId: number, userId: number): Promise<KeyOwner | undefined> {
  const { rows } = await sql<KeyOwner>`
    select ${MEMBER_CAPABILITIES} as capabilities, coalesce(k.names, '{}') as "activeNames", k.count as "activeKeys"
    from membership m cross join lateral (
      select count(*)::int as count, array_agg(k.name) filter (where k.client_id is null) as names from agent_key k
      where k.site_id = m.site_id and k.user_id = m.user_id and ${KEY_IS_VALID}) k where m.site_id = ${siteId} and m.user_id = ${userId} and ${CAN_ACT}`.execute(
    tx,
  );
  return rows[0];
}

export interface NewKey {
  siteId: number;
  userId: number;
  createdBy: number;
  name: string;
  /** Hash of the secret, or the client that is connected instead. */
  credential: { secretHash: Buffer } | { clientId: string };
  entryTypeIds: readonly number[] | null;
  callsPerDay: number | null;
  days: number;
}

export async function insertKey(tx: Tx, key: NewKey): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into agent_key (site_id, user_id, created_by, name, secret_hash, client_id, entry_type_ids, calls_per_day,
      expires_at)
    values (${key.siteId}, ${key.userId}, ${key.createdBy}, ${key.name},
      ${'secretHash' in key.credential ? key.credential.secretHash : null},
      ${'clientId' in key.credential ? key.credential.clientId : null}, ${key.entryTypeIds}::int[], ${key.callsPerDay}, now() + make_interval(hours => 24 * ${key.days}::int))
    returning key_id as id`.execute(tx);
  return rows[0]?.id ?? 0;
}

/** A key that was changed, for the audit log. */
interface ChangedKey {
  id: number;
  name: string;
  userId: number;
}

/** Revokes active keys of the site: one, or all. A key of another person than `ownerId` stays. */
export async function revokeKeys(
  tx: Tx,
  { siteId, keyId, ownerId }: { siteId: number; keyId?: number | undefined; ownerId?: number | undefined },
  revokedBy: number,
): Promise<ChangedKey[]> {
  const { rows } = await sql<ChangedKey>`
    update agent_key k set revoked_at = now(), revoked_by = ${revokedBy}
    where k.site_id = ${siteId} and ${KEY_IS_VALID} and (${keyId ?? null}::int is null or k.key_id = ${keyId ?? null})
      and (${ownerId ?? null}::int is null or k.user_id = ${ownerId ?? null})
    returning k.key_id as id, k.name, k.user_id as "userId"`.execute(tx);
  return rows;
}

/** Who may be affected by a change of a key, and who paused it. */
interface PausableKey extends ChangedKey {
  pausedBy: number | null;
  isPaused: boolean;
}

/** A key that has not ended, locked until the transaction ends; undefined also for that of another person than `ownerId`. */
export async function lockLastingKey(
  tx: Tx,
  { siteId, keyId, ownerId }: { siteId: number; keyId: number; ownerId: number | undefined },
): Promise<PausableKey | undefined> {
  const { rows } = await sql<PausableKey>`
    select k.key_id as id, k.name, k.user_id as "userId", k.paused_by as "pausedBy", k.paused_at is not null as "isPaused"
    from agent_key k where k.site_id = ${siteId} and k.key_id = ${keyId} and ${KEY_IS_VALID}
      and (${ownerId ?? null}::int is null or k.user_id = ${ownerId ?? null}) for update`.execute(tx);
  return rows[0];
}

/** Pauses a key, by a person; or resumes it, by nobody. */
export async function setPaused(
  tx: Tx,
  { siteId, keyId }: { siteId: number; keyId: number },
  pausedBy: number | null,
): Promise<void> {
  await sql`
    update agent_key set paused_at = case when ${pausedBy}::int is not null then now() end, paused_by = ${pausedBy}
    where site_id = ${siteId} and key_id = ${keyId}`.execute(tx);
}

/** Whether the secret is that of an agent, which other operations refuse. */
export async function isAgentKey(db: Db, secretHash: Buffer): Promise<boolean> {
  const { rows } = await sql`select from agent_key where secret_hash = ${secretHash}
    union all select from agent_token where token_hash = ${secretHash}`.execute(db);
  return rows.length > 0;
}
