import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../kernel/db/database.ts';
import type { CursorPosition } from '../../../kernel/http/cursor.ts';
import type { EntryType, SchemaField } from '../../schema/index.ts';
import { ENTRY } from '../query/field-sql.store.ts';
import { limitResponseSql } from '../query/page.store.ts';
import { type Rendering, rowJsonSql } from '../query/row-json.store.ts';

type Sql = RawBuilder<unknown>;

/** Id and current name of a person. */
export interface PersonRef {
  id: number;
  name: string;
}

/** A change of an entry; `before` and `after` are JSON texts of rows. */
export interface TimelineEvent {
  timestamp: Date;
  /**
   * 0 created, 1 values changed, 2 another entry was merged into it, 3 deleted or merged, 4 restored. Orders events of the
   * same timestamp: a higher rank is later.
   */
  rank: number;
  seq: string;
  cause: number | null;
  other: { id: number; name: string; entryListId: number } | null;
  by: PersonRef | null;
  proxy: PersonRef | null;
  fieldIds: number[] | null;
  before: string | null;
  after: string | null;
  /** Number of events that were read, of which the first are returned while they fit into a response. */
  readCount: number;
}

/** A person as JSON. Accounts outlive memberships, so former members still have a name. */
export const personJsonSql = (id: Sql): Sql =>
  sql`(select jsonb_build_object('id', a.user_id, 'name', trim(a.first_name || ' ' || a.last_name)) from account a where a.user_id = ${id})`;

const entryJsonSql = (siteId: number, id: Sql): Sql =>
  sql`(select jsonb_build_object('id', r.entry_id, 'name', r.name, 'entryListId', r.type_id)
    from entry_change r where r.site_id = ${siteId} and r.entry_id = ${id})`;

/**
 * Creation, deletion and merges of an entry from `entry_change`, as a JSON text. `audit_log` is read by statements of its own, because on a
 * cluster it is on another server than the entries (docs/scaling.md).
 */
async function readStoredFacts(db: Db, siteId: number, entryId: number): Promise<string> {
  const { rows } = await sql<{ facts: string }>`
    select coalesce(json_agg(f), '[]')::text as facts from (
      select created_at as moment, 0 as rank, 0 as seq, created_by as user_id, null::int as other, 'entry.create' as action
      from entry_change where site_id = ${siteId} and entry_id = ${entryId}
      union all
      select deleted_at, 3, 0, modified_by, merged_into, 'entry.delete' from entry_change
      where site_id = ${siteId} and entry_id = ${entryId} and deleted_at is not null
      union all
      select deleted_at, 2, entry_id, modified_by, entry_id, 'entry.delete' from entry_change
      where site_id = ${siteId} and merged_into = ${entryId}) f`.execute(db);
  return rows[0]?.facts ?? '[]';
}

/** The columns of the facts about an entry in a JSON text. */
const FACTS = sql`f(moment timestamptz, rank int, seq bigint, user_id int, proxy_id int, other int, action text)`;

/** Creations, deletions, merges and restorations of an entry: those of `facts`, and those that only `audit_log` has. */
const factsSql = (siteId: number, entryId: number, facts: string): Sql => sql`
  select moment, rank, seq, user_id, proxy_id, other, action from json_to_recordset(${facts}::json) as ${FACTS}
  union all
  select a.at, 4, a.audit_id, a.actor_id, a.proxy_id, null, a.action ${restorationsSql(siteId, entryId)}
  union all
  select (a.changes ->> 'deletedAt')::timestamptz, 3, a.audit_id, (a.changes ->> 'deletedBy')::int, null,
    (a.changes ->> 'mergedInto')::int, 'entry.delete' ${restorationsSql(siteId, entryId)}
  union all
  select (a.changes ->> 'deletedAt')::timestamptz, 2, a.subject_id::int, (a.changes ->> 'deletedBy')::int, null,
    a.subject_id::int, 'entry.delete' from audit_log a
  where a.site_id = ${siteId} and a.subject_type = 'entry' and a.action = ${RESTORE_ACTION}
    and (a.changes ->> 'mergedInto')::int = ${entryId}`;

/** The audit rows of the restorations of an entry; only they still have the facts of the undone deletion (restore.ts). */
const restorationsSql = (siteId: number, entryId: number): Sql => sql`from audit_log a
  where a.site_id = ${siteId} and a.subject_type = 'entry' and a.subject_id = ${String(entryId)} and a.action = ${RESTORE_ACTION}`;

const wasDeletedSql = (at: Date): Sql =>
  sql`a.at > ${at}::timestamptz and (a.changes ->> 'deletedAt')::timestamptz <= ${at}::timestamptz`;

/** Ids of entries that were deleted at a timestamp and have been restored since. */
export async function listDeletedAt(db: Db, siteId: number, at: Date): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`select a.subject_id::int as id from audit_log a
    where a.site_id = ${siteId} and a.subject_type = 'entry' and a.action = ${RESTORE_ACTION} and ${wasDeletedSql(at)}`.execute(
    db,
  );
  return rows.map(({ id }) => id);
}

/** Whether an entry was deleted at a timestamp and has been restored since. */
export async function wasDeletedAt(db: Db, siteId: number, entryId: number, at: Date): Promise<boolean> {
  const { rows } = await sql<{ is: boolean }>`
    select exists (select ${restorationsSql(siteId, entryId)} and ${wasDeletedSql(at)}) as is`.execute(db);
  return rows[0]?.is ?? false;
}

/** Action of the audit row that each restored entry gets. */
export const RESTORE_ACTION = 'entry.return';

/**
 * The proxy through which an entry was created or deleted. Only the audit row has it; the row is written in the
 * transaction of the change, shortly after the timestamp of the change.
 */
const auditedProxySql = (siteId: number, typeId: number, entryId: number): Sql => sql`(
  select a.proxy_id from audit_log a
  where a.site_id = ${siteId} and a.subject_type = 'entry-type' and a.subject_id = ${String(typeId)}
    and a.at >= p.moment and a.at < p.moment + interval '10 minutes' and a.action = p.action
    and a.changes -> 'entries' @> to_jsonb(case when p.rank = 2 then p.other else ${entryId}::int end)
  order by a.at limit 1)`;

/** Old and new values of the log rows of one event. */
const loggedValuesSql = (siteId: number, entryId: number): Sql => sql`(
  select array_agg(l.field_id order by l.seq) as field_ids,
    coalesce(jsonb_object_agg(l.field_id::text, l.old) filter (where l.old is not null), '{}') as old,
    coalesce(jsonb_object_agg(l.field_id::text, l.new) filter (where l.new is not null), '{}') as new
  from cell_log l where p.rank = 1 and l.site_id = ${siteId} and l.entry_id = ${entryId} and l.at = p.moment and l.cause = p.cause
    and l.user_id is not distinct from p.user_id and l.proxy_id is not distinct from p.proxy_id)`;

/** Events before a position of the cursor, newest first. */
function newestSql(events: Sql, after: CursorPosition | undefined, limit: number): Sql {
  const [at = 'infinity', rank = 9, seq = 0] = after ?? [];
  return sql`select * from (${events}) as p where (moment, rank, seq) < (${at}::timestamptz, ${rank}::int, ${seq}::bigint)
    order by moment desc, rank desc, seq desc limit ${limit}`;
}

interface PageRequest {
  limit: number;
  onlyProxy: boolean;
}

/** The newest facts about an entry before a position, with their proxies, as a JSON text. */
async function readFacts(
  db: Db,
  { siteId, type, entryId }: { siteId: number; type: EntryType; entryId: number },
  after: CursorPosition | undefined,
  { limit, onlyProxy }: PageRequest,
): Promise<string> {
  const facts = factsSql(siteId, entryId, await readStoredFacts(db, siteId, entryId));
  const withProxies = sql`select moment, rank, seq, user_id, other,
    coalesce(proxy_id, ${auditedProxySql(siteId, type.id, entryId)}) as proxy_id from (${facts}) p`;
  const { rows } = await sql<{
    facts: string;
  }>`select coalesce(json_agg(newest), '[]')::text as facts from (${newestSql(
    onlyProxy ? sql`select * from (${withProxies}) p where proxy_id is not null` : withProxies,
    after,
    limit,
  )}) newest`.execute(db);
  return rows[0]?.facts ?? '[]';
}

/** A page of the events of an entry, or of those through a proxy, newest first; shorter than `limit` when its values are large. */
export async function readTimeline(
  db: Db,
  entry: { siteId: number; type: EntryType; entryId: number },
  /** Fields whose values are included: those of the type and its deleted ones. */
  fields: readonly SchemaField[],
  after: CursorPosition | undefined,
  request: PageRequest,
  rendering: Rendering,
): Promise<TimelineEvent[]> {
  const { siteId, entryId } = entry;
  const facts = await readFacts(db, entry, after, request);
  const events = sql`
    select l.at as moment, 1 as rank, max(l.seq) as seq, l.cause::int as cause, l.user_id, l.proxy_id, null::int as other
    from cell_log l where l.site_id = ${siteId} and l.entry_id = ${entryId} ${request.onlyProxy ? sql`and l.proxy_id is not null` : sql``}
    group by l.at, l.cause, l.user_id, l.proxy_id
    union all
    select moment, rank, seq, null, user_id, proxy_id, other from json_to_recordset(${facts}::json) as ${FACTS}`;
  const row = rowJsonSql(fields, rendering);
  const valuesSql = (vals: Sql) =>
    sql`case when p.rank = 1 then (select ${row} from (select ${entryId}::int as entry_id, ${vals} as vals) as ${ENTRY}) end`;
  const built = sql`
    select p.moment, p.rank, p.seq::text, p.cause, p.at, l.field_ids as "fieldIds",
      ${personJsonSql(sql`p.user_id`)} as by, ${personJsonSql(sql`p.proxy_id`)} as proxy,
      ${entryJsonSql(siteId, sql`p.other`)} as other,
      ${valuesSql(sql`l.old`)} as before, ${valuesSql(sql`l.new`)} as after, ''::text as row
    from page p left join lateral ${loggedValuesSql(siteId, entryId)} l on true`;
  const sized = sql`select s.moment, s.rank, s.seq, s.cause, s.at, s."fieldIds", s.by, s.proxy, s.other, s.before, s.after,
    coalesce(s.before, '') || coalesce(s.after, '') as row from (${built}) s`;
  const { rows } = await sql<TimelineEvent>`
    with page as materialized (select *, row_number() over (order by moment desc, rank desc, seq desc) as at
      from (${newestSql(events, after, request.limit)}) as newest)
    select moment as timestamp, rank, seq, cause, "fieldIds", by, proxy, other, before, after,
      (select count(*)::int from page) as "readCount" from (${limitResponseSql(sized)}) as bounded order by at`.execute(
    db,
  );
  return rows;
}
