import { type RawBuilder, sql } from 'kysely';
import type {
  AgentCall,
  AgentCallOutcome,
  AgentCallSummary,
  AgentClient,
  AgentToolName,
} from '../../../contract/generated/types.gen.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';
import { TODAY } from './access/keys.store.ts';
import { LEDGER_DAYS } from './limits.ts';

/** A call of a tool as the ledger stores it. */
export interface LedgerRow {
  siteId: number;
  keyId: number;
  keyName: string;
  userId: number;
  at: string;
  tool: AgentToolName;
  outcome: AgentCallOutcome;
  message: string | null;
  arguments: string;
  entryTypeId: number | null;
  fieldIds: number[];
  valueCounts: number[];
  entryIds: number[];
  rows: number;
  bytes: number;
  durationMs: number;
  asOf: string | null;
  flags: number[];
  clientName: string;
  clientVersion: string;
  protocolVersion: string;
  ip: string;
}

/** Stores calls and counts them for the limits of their keys and sites, in one statement. */
export async function insertCalls(tx: Tx, calls: readonly LedgerRow[]): Promise<void> {
  await sql`
    with c as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(calls)}::jsonb) as x ("siteId" int, "keyId" int, "keyName" text,
        "userId" int, at timestamptz, tool text, outcome text, message text, arguments text, "entryTypeId" int,
        "fieldIds" int[], "valueCounts" int[], "entryIds" int[], rows int, bytes int, "durationMs" real,
        "asOf" timestamptz, flags int[], "clientName" text, "clientVersion" text, "protocolVersion" text, ip text)),
    stored as (
      insert into agent_call (site_id, at, key_id, key_name, user_id, tool, outcome, message, arguments, entry_type_id,
        field_ids, value_counts, entry_ids, rows, bytes, duration_ms, as_of, flags, client_name, client_version,
        protocol_version, ip)
      select "siteId", at, "keyId", "keyName", "userId", tool, outcome, message, arguments, "entryTypeId", "fieldIds",
        "valueCounts", "entryIds", rows, bytes, "durationMs", "asOf", flags, "clientName", "clientVersion",
        "protocolVersion", ip from c),
    used as (
      select "siteId", "keyId", count(*)::int as calls, sum(rows)::int as rows, max(at) as at from c group by 1, 2),
    counted as (
      update agent_key k set last_used_at = greatest(k.last_used_at, u.at),
        minute = date_trunc('minute', now()), day = ${TODAY},
        minute_calls = u.calls + case when k.minute = date_trunc('minute', now()) then k.minute_calls else 0 end,
        minute_rows = u.rows + case when k.minute = date_trunc('minute', now()) then k.minute_rows else 0 end,
        day_calls = u.calls + case when k.day = ${TODAY} then k.day_calls else 0 end
      from used u where k.site_id = u."siteId" and k.key_id = u."keyId")
    insert into agent_site as g (site_id, minute, minute_calls)
    select "siteId", date_trunc('minute', now()), sum(calls)::int from used group by 1 order by 1
    on conflict (site_id) do update set minute = excluded.minute,
      minute_calls = excluded.minute_calls + case when g.minute = excluded.minute then g.minute_calls else 0 end`.execute(
    tx,
  );
}

/** The calls to read: of a site, with the filters that are set. */
export interface CallFilter {
  siteId: number;
  keyId?: number | undefined;
  userId?: number | undefined;
  tool?: AgentToolName | undefined;
  outcome?: AgentCallOutcome | undefined;
  entryTypeId?: number | undefined;
  fieldId?: number | undefined;
  entryId?: number | undefined;
  isFlagged?: boolean | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
}

const CONDITIONS: readonly ((filter: CallFilter) => RawBuilder<unknown> | undefined)[] = [
  ({ keyId }) => (keyId === undefined ? undefined : sql`c.key_id = ${keyId}`),
  ({ userId }) => (userId === undefined ? undefined : sql`c.user_id = ${userId}`),
  ({ tool }) => (tool === undefined ? undefined : sql`c.tool = ${tool}`),
  ({ outcome }) => (outcome === undefined ? undefined : sql`c.outcome = ${outcome}`),
  ({ entryTypeId }) => (entryTypeId === undefined ? undefined : sql`c.entry_type_id = ${entryTypeId}`),
  ({ fieldId }) => (fieldId === undefined ? undefined : sql`${fieldId}::int = any(c.field_ids)`),
  ({ entryId }) => (entryId === undefined ? undefined : sql`${entryId}::int = any(c.entry_ids)`),
  ({ isFlagged }) => (isFlagged === undefined ? undefined : sql`(cardinality(c.flags) > 0) = ${isFlagged}`),
  ({ from }) => (from === undefined ? undefined : sql`c.at >= ${from}`),
  ({ to }) => (to === undefined ? undefined : sql`c.at < ${to}`),
];

const buildWhere = (filter: CallFilter): RawBuilder<unknown> =>
  sql.join(
    [sql`c.site_id = ${filter.siteId}`, ...CONDITIONS.flatMap((build) => build(filter) ?? [])],
    sql` and `,
  );

type CallRow = Omit<AgentCall, 'date' | 'asOf' | 'arguments' | 'flags'> & {
  at: Date;
  asOf: Date | null;
  arguments: string;
  flags: number[];
};

const USER_NAME = sql`coalesce(trim(a.first_name || ' ' || a.last_name), '')`;

/** A page of calls, newest first, before the call with the id `before`. */
export async function listCalls(
  db: Db,
  filter: CallFilter,
  { before, limit }: { before: number | undefined; limit: number },
): Promise<AgentCall[]> {
  const { rows } = await sql<CallRow>`
    select c.call_id as id, c.at, c.key_id as "keyId", c.key_name as "keyName", c.user_id as "userId",
      ${USER_NAME} as "userName", c.tool, c.outcome, c.message, c.arguments, c.entry_type_id as "entryTypeId",
      c.field_ids as "fieldIds", c.entry_ids as "entryIds", c.rows, c.bytes, c.duration_ms as "durationMs",
      c.as_of as "asOf", c.flags, c.client_name as "clientName", c.client_version as "clientVersion", c.ip as "ipAddress"
    from agent_call c left join account a on a.user_id = c.user_id
    where ${buildWhere(filter)} ${before === undefined ? sql`` : sql`and c.call_id < ${before}`}
    order by c.call_id desc limit ${sql.lit(limit)}`.execute(db);
  return rows.map(({ at, asOf, arguments: args, flags, ...call }) => ({
    ...call,
    date: at.toISOString(),
    asOf: asOf?.toISOString() ?? null,
    arguments: JSON.parse(args) as AgentCall['arguments'],
    flags: Array.from({ length: flags.length / 2 }, (_, index) => ({
      entryId: flags[index * 2] ?? 0,
      fieldId: flags[index * 2 + 1] ?? 0,
    })),
  }));
}

const MAX_AGENTS = 1_000;
const MAX_CELLS = 2_000;

type Summary = Omit<AgentCallSummary, 'dateFrom' | 'dateTo' | 'bucketMinutes' | 'buckets'> & {
  buckets: { seconds: number; keyId: number; calls: number; refused: number }[];
};

/** Counts calls by key, time, and type and field, in one statement. */
export async function summarizeCalls(db: Db, filter: CallFilter, bucketMinutes: number): Promise<Summary> {
  const field =
    filter.fieldId === undefined
      ? sql`select sum(v) from unnest(c.value_counts) v`
      : sql`select sum(v) from unnest(c.field_ids, c.value_counts) x (f, v) where f = ${filter.fieldId}`;
  const bucketSeconds = bucketMinutes * 60;
  const { rows } = await sql<Summary>`
    with c as materialized (
      select c.key_id, c.key_name, c.user_id, c.call_id, c.at, c.outcome = 'Refused' as is_refused, c.rows, c.flags,
        c.entry_type_id, c.field_ids, c.value_counts, c.entry_ids, coalesce((${field}), 0) as value_count
      from agent_call c where ${buildWhere(filter)}),
    agents as (
      select c.key_id as "keyId", (array_agg(c.key_name order by c.call_id desc))[1] as "keyName", c.user_id as "userId",
        ${USER_NAME} as "userName", count(*)::int8 as calls, count(*) filter (where is_refused)::int8 as refused,
        sum(rows)::int8 as rows, sum(value_count)::int8 as values
      from c left join account a on a.user_id = c.user_id group by c.key_id, c.user_id, a.first_name, a.last_name
      order by calls desc, 1 limit ${sql.lit(MAX_AGENTS)}),
    buckets as (
      select floor(extract(epoch from at) / ${bucketSeconds}::int)::int8 * ${bucketSeconds}::int as seconds, key_id as "keyId",
        count(*)::int8 as calls, count(*) filter (where is_refused)::int8 as refused
      from c group by 1, 2 order by 1, 2),
    cells as (
      select entry_type_id as "entryTypeId", f as "fieldId", sum(v)::int8 as values, count(*)::int8 as calls
      from c, unnest(field_ids, value_counts) x (f, v) where entry_type_id is not null
      group by 1, 2 order by values desc, 1, 2 limit ${sql.lit(MAX_CELLS)})
    select count(*)::int8 as calls, count(*) filter (where is_refused)::int8 as refused,
      count(*) filter (where cardinality(flags) > 0)::int8 as flagged, coalesce(sum(rows), 0)::int8 as rows,
      (select count(distinct e)::int8 from c, unnest(entry_ids) e) as entries,
      coalesce((select json_agg(agents) from agents), '[]') as agents,
      coalesce((select json_agg(buckets) from buckets), '[]') as buckets,
      coalesce((select json_agg(cells) from cells), '[]') as cells
    from c`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('An aggregate without groups has one row');
  return row;
}

/** Days of the calls from which clients are listed. */
const CLIENT_DAYS = 30;
const MAX_CLIENTS = 200;

type ClientRow = Omit<AgentClient, 'firstCallDate' | 'lastCallDate'> & { firstAt: Date; lastAt: Date };

/** Client programs by key, name and version, the last call first. */
export async function listClients(
  db: Db,
  { siteId, keyId, userId }: Pick<CallFilter, 'siteId' | 'keyId' | 'userId'>,
): Promise<AgentClient[]> {
  const { rows } = await sql<ClientRow>`
    select c.key_id as "keyId", (array_agg(c.key_name order by c.call_id desc))[1] as "keyName", c.user_id as "userId",
      ${USER_NAME} as "userName", c.client_name as name, c.client_version as version,
      (array_agg(c.protocol_version order by c.call_id desc))[1] as "protocolVersion",
      (array_agg(c.ip order by c.call_id desc))[1] as "ipAddress", count(*)::int8 as calls,
      min(c.at) as "firstAt", max(c.at) as "lastAt"
    from agent_call c left join account a on a.user_id = c.user_id
    where ${buildWhere({ siteId, keyId, userId })} and c.at > now() - make_interval(days => ${CLIENT_DAYS})
    group by c.key_id, c.user_id, a.first_name, a.last_name, c.client_name, c.client_version
    order by "lastAt" desc limit ${sql.lit(MAX_CLIENTS)}`.execute(db);
  return rows.map(({ firstAt, lastAt, ...client }) => ({
    ...client,
    firstCallDate: firstAt.toISOString(),
    lastCallDate: lastAt.toISOString(),
  }));
}

/** Calls of the last 24 hours and the number of keys that made them: of one person, or of all. */
export async function countLastDay(
  db: Db,
  siteId: number,
  userId: number | undefined,
): Promise<{ callsLastDay: number; agentsLastDay: number }> {
  const { rows } = await sql<{ callsLastDay: number; agentsLastDay: number }>`
    select count(*)::int8 as "callsLastDay", count(distinct c.key_id)::int8 as "agentsLastDay"
    from agent_call c where ${buildWhere({ siteId, userId })} and c.at > now() - interval '24 hours'`.execute(
    db,
  );
  return rows[0] ?? { callsLastDay: 0, agentsLastDay: 0 };
}

/** Calls deleted by one statement. */
const DELETE_BATCH_ROWS = 5_000;

/** Deletes a batch of calls that are older than the ledger keeps them. @returns whether there may be more */
export async function deleteOldCalls(db: Db): Promise<boolean> {
  const { numAffectedRows } = await sql`delete from agent_call where (site_id, call_id) in (
    select site_id, call_id from agent_call where at < now() - make_interval(days => ${LEDGER_DAYS})
    order by at limit ${sql.lit(DELETE_BATCH_ROWS)})`.execute(db);
  return numAffectedRows === BigInt(DELETE_BATCH_ROWS);
}
