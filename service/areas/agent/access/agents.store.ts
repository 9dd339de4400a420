import { type CompiledQuery, type RawBuilder, sql } from 'kysely';
import type { Capability } from '../../../../contract/generated/types.gen.ts';
import {
  API_KEY_IS_VALID,
  CAN_ACT,
  isRefused,
  LACKS_ONLY_LICENSE,
  MEMBER_CAPABILITIES,
  toInet,
} from '../../../kernel/auth/callers.store.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { defineStatement } from '../../../kernel/db/driver/dialect.ts';
import { KEY_IS_VALID, TODAY } from './keys.store.ts';

/** An agent key with its person, its site and its use, at the time of a call. */
export interface AgentRow {
  siteId: number;
  keyId: number;
  keyName: string;
  entryTypeIds: number[] | null;
  /** Ids of the entry types and fields that the site forbids to agents. */
  forbiddenTypeIds: number[];
  forbiddenFieldIds: number[];
  userId: number;
  email: string;
  capabilities: Capability[];
  /** Whether the key is neither revoked nor expired. */
  isValid: boolean;
  isPaused: boolean;
  canAct: boolean;
  lacksLicense: boolean;
  isLicensed: boolean;
  isEnabled: boolean;
  isAddressRefused: boolean;
  callsPerDay: number | null;
  dayCalls: number;
  minuteCalls: number;
  minuteRows: number;
  siteMinuteCalls: number;
  /** Seconds until the next minute and until the next UTC day. */
  minuteLeft: number;
  dayLeft: number;
}

const THIS_MINUTE = sql`date_trunc('minute', now())`;

// Lists as JSON: an array of PostgreSQL is parsed character by character, which took longer than the statement.
const selectAgentOf = (
  credential: RawBuilder<unknown>,
  address: RawBuilder<string | null>,
): RawBuilder<AgentRow> => sql<AgentRow>`
  select k.site_id as "siteId", k.key_id as "keyId", k.name as "keyName", to_json(k.entry_type_ids) as "entryTypeIds",
    k.user_id as "userId", a.email, to_json(${MEMBER_CAPABILITIES}) as capabilities, ${KEY_IS_VALID} as "isValid", k.paused_at is not null as "isPaused",
    ${CAN_ACT} as "canAct", ${LACKS_ONLY_LICENSE} as "lacksLicense", s.has_agent_server as "isLicensed",
    coalesce(g.is_enabled, true) as "isEnabled", to_json(coalesce(g.forbidden_type_ids, '{}')) as "forbiddenTypeIds",
    to_json(coalesce(g.forbidden_field_ids, '{}')) as "forbiddenFieldIds", ${isRefused(sql`${address}::inet`, 'm')} as "isAddressRefused",
    k.calls_per_day as "callsPerDay", case when k.day = ${TODAY} then k.day_calls else 0 end as "dayCalls",
    case when k.minute = ${THIS_MINUTE} then k.minute_calls else 0 end as "minuteCalls",
    case when k.minute = ${THIS_MINUTE} then k.minute_rows else 0 end as "minuteRows",
    case when g.minute = ${THIS_MINUTE} then g.minute_calls else 0 end as "siteMinuteCalls",
    extract(epoch from ${THIS_MINUTE} + interval '1 minute' - now())::float8 as "minuteLeft",
    extract(epoch from (${TODAY} + 1)::timestamp at time zone 'UTC' - now())::float8 as "dayLeft"
  from ${credential} c
  join agent_key k on k.site_id = c.site_id and k.key_id = c.key_id
  join site s on s.site_id = k.site_id
  join membership m on m.site_id = k.site_id and m.user_id = k.user_id
  join account a on a.user_id = k.user_id
  left join agent_site g on g.site_id = k.site_id`;

const selectAgentBySecret = defineStatement(
  (secretHash: RawBuilder<Buffer>, address: RawBuilder<string | null>) =>
    selectAgentOf(
      sql`(select site_id, key_id from agent_key where secret_hash = ${secretHash}
      union all select site_id, key_id from agent_token
      where token_hash = ${secretHash} and kind = 'AccessToken' and expires_at > now())`,
      address,
    ),
);

/** The statement that finds an agent by the hash of its key or access token. It only reads. */
export const selectAgent = (secretHash: Buffer, ip: string): CompiledQuery<AgentRow> =>
  selectAgentBySecret(secretHash, toInet(ip));

export async function findAgent(db: Db, secretHash: Buffer, ip: string): Promise<AgentRow | undefined> {
  const { rows } = await db.executeQuery(selectAgent(secretHash, ip));
  return rows[0];
}

/** The agent of a connected client, when the authorization server issues tokens for it. */
export async function findConnectedAgent(
  db: Db,
  { siteId, keyId }: { siteId: number; keyId: number },
  ip: string,
): Promise<AgentRow | undefined> {
  const { rows } = await selectAgentOf(
    sql`(select ${siteId}::int as site_id, ${keyId}::int as key_id)`,
    sql`${toInet(ip)}`,
  ).execute(db);
  return rows[0];
}

/** Whether the secret is a valid access token of the API, which the agent server refuses. */
export async function isAccessToken(db: Db, tokenHash: Buffer): Promise<boolean> {
  const { rows } = await sql`
    select from access_token t join api_key k on k.client_id = t.client_id and ${API_KEY_IS_VALID}
    where t.token_hash = ${tokenHash} and t.expires_at > now()`.execute(db);
  return rows.length > 0;
}

/** A person for the preview: rights as an agent would have them. */
export async function findPerson(
  db: Db,
  siteId: number,
  userId: number,
): Promise<{ email: string; capabilities: Capability[] } | undefined> {
  const { rows } = await sql<{ email: string; capabilities: Capability[] }>`
    select a.email, ${MEMBER_CAPABILITIES} as capabilities from membership m join account a on a.user_id = m.user_id
    where m.site_id = ${siteId} and m.user_id = ${userId} and ${CAN_ACT}`.execute(db);
  return rows[0];
}
