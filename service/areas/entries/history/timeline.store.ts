import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../kernel/db/database.ts';
import type { EntryType, SchemaField } from '../../schema/index.ts';
import type { Place } from '../query/cursor.ts';
import { upToBound } from '../query/bounds.store.ts';
import { type Rendering, rowJson } from '../query/render.store.ts';

type Sql = RawBuilder<unknown>;

/** Somebody, by the name of today. */
export interface Somebody {
  id: number;
  name: string;
}

/** A change of an entry; what stands in `before` and `after` are JSON texts of rows. */
export interface TimelineEvent {
  moment: Date;
  /** 0 made, 1 values, 2 took another one in, 3 went away, 4 came back: of one moment, the later first. */
  rank: number;
  seq: string;
  cause: number | null;
  other: { id: number; name: string; entryListId: number } | null;
  by: Somebody | null;
  proxy: Somebody | null;
  fieldIds: number[] | null;
  before: string | null;
  after: string | null;
}

/** A person as JSON. Accounts outlive memberships: whoever left still has a name. */
export const personJson = (id: Sql): Sql =>
  sql`(select jsonb_build_object('id', a.user_id, 'name', trim(a.first_name || ' ' || a.last_name)) from account a where a.user_id = ${id})`;

const entryJson = (siteId: number, id: Sql): Sql =>
  sql`(select jsonb_build_object('id', r.entry_id, 'name', r.name, 'entryListId', r.type_id)
    from entry_change r where r.site_id = ${siteId} and r.entry_id = ${id})`;

/** All that happened to the entry: the log has its values, entry_change how it came and went. */
const events = (siteId: number, entryId: number): Sql => sql`
  select l.at as moment, 1 as rank, max(l.seq) as seq, l.cause::int as cause, l.user_id, l.proxy_id, null::int as other, null::text as action
  from cell_log l where l.site_id = ${siteId} and l.entry_id = ${entryId} group by l.at, l.cause, l.user_id, l.proxy_id
  union all
  select created_at, 0, 0, null, created_by, null, null, 'entry.create' from entry_change where site_id = ${siteId} and entry_id = ${entryId}
  union all
  select deleted_at, 3, 0, null, modified_by, null, merged_into, 'entry.delete' from entry_change
  where site_id = ${siteId} and entry_id = ${entryId} and deleted_at is not null
  union all
  select deleted_at, 2, entry_id, null, modified_by, null, entry_id, 'entry.delete' from entry_change
  where site_id = ${siteId} and merged_into = ${entryId}
  union all
  select a.at, 4, a.audit_id, null, a.actor_id, a.proxy_id, null, a.action ${returns(siteId, entryId)}
  union all
  select (a.changes ->> 'deletedAt')::timestamptz, 3, a.audit_id, null, (a.changes ->> 'deletedBy')::int, null,
    (a.changes ->> 'mergedInto')::int, 'entry.delete' ${returns(siteId, entryId)}
  union all
  select (a.changes ->> 'deletedAt')::timestamptz, 2, a.subject_id::int, null, (a.changes ->> 'deletedBy')::int, null,
    a.subject_id::int, 'entry.delete' from audit_log a
  where a.site_id = ${siteId} and a.subject_type = 'entry' and a.action = ${RETURN}
    and (a.changes ->> 'mergedInto')::int = ${entryId}`;

/** Each time that the entry came back; how it had gone stands in no other row any more (restore.ts). */
const returns = (siteId: number, entryId: number): Sql => sql`from audit_log a
  where a.site_id = ${siteId} and a.subject_type = 'entry' and a.subject_id = ${String(entryId)} and a.action = ${RETURN}`;

const wasAway = (at: Date): Sql =>
  sql`a.at > ${at}::timestamptz and (a.changes ->> 'deletedAt')::timestamptz <= ${at}::timestamptz`;

/** The ids of entries that were gone at a moment and came back since. */
export const awayAt = (siteId: number, at: Date): Sql => sql`
  select a.subject_id::int as id from audit_log a
  where a.site_id = ${siteId} and a.subject_type = 'entry' and a.action = ${RETURN} and ${wasAway(at)}`;

/** Whether one entry was. */
export async function isAwayAt(db: Db, siteId: number, entryId: number, at: Date): Promise<boolean> {
  const { rows } = await sql<{ is: boolean }>`
    select exists (select ${returns(siteId, entryId)} and ${wasAway(at)}) as is`.execute(db);
  return rows[0]?.is ?? false;
}

/** The action of the audit row of each entry that came back. */
export const RETURN = 'entry.return';

/**
 * Through which proxy an entry was made or went away: of this only the audit row tells, which is written a little after
 * the moment of the change and in its transaction.
 */
const auditedProxy = (siteId: number, typeId: number, entryId: number): Sql => sql`(
  select a.proxy_id from audit_log a
  where p.action is not null and a.site_id = ${siteId} and a.subject_type = 'entry-type' and a.subject_id = ${String(typeId)}
    and a.at >= p.moment and a.at < p.moment + interval '10 minutes' and a.action = p.action
    and a.changes -> 'entries' @> to_jsonb(case when p.rank = 2 then p.other else ${entryId}::int end)
  order by a.at limit 1)`;

/** Values of the log rows of one event, before and after. */
const logged = (siteId: number, entryId: number): Sql => sql`(
  select array_agg(l.field_id order by l.seq) as field_ids,
    coalesce(jsonb_object_agg(l.field_id::text, l.old) filter (where l.old is not null), '{}') as old,
    coalesce(jsonb_object_agg(l.field_id::text, l.new) filter (where l.new is not null), '{}') as new
  from cell_log l where p.rank = 1 and l.site_id = ${siteId} and l.entry_id = ${entryId} and l.at = p.moment and l.cause = p.cause
    and l.user_id is not distinct from p.user_id and l.proxy_id is not distinct from p.proxy_id)`;

/** A page of what happened to an entry, newest first; shorter than asked for where its values are large. */
export async function entryEvents(
  db: Db,
  entry: { siteId: number; type: EntryType; entryId: number },
  /** Those whose values are told: of the type, and those that it has no more. */
  fields: readonly SchemaField[],
  behind: Place | undefined,
  limit: number,
  rendering: Rendering,
): Promise<TimelineEvent[]> {
  const { siteId, type, entryId } = entry;
  const [at = 'infinity', rank = 9, seq = 0] = behind ?? [];
  const row = rowJson(fields, rendering);
  const side = (vals: Sql) =>
    sql`case when p.rank = 1 then (select ${row} from (select ${entryId}::int as entry_id, ${vals} as vals) as e) end`;
  const built = sql`
    select p.moment, p.rank, p.seq::text, p.cause, p.at, l.field_ids as "fieldIds",
      ${personJson(sql`p.user_id`)} as by, ${personJson(sql`coalesce(p.proxy_id, ${auditedProxy(siteId, type.id, entryId)})`)} as proxy,
      ${entryJson(siteId, sql`p.other`)} as other,
      ${side(sql`l.old`)} as before, ${side(sql`l.new`)} as after, ''::text as row
    from page p left join lateral ${logged(siteId, entryId)} l on true`;
  const sized = sql`select s.moment, s.rank, s.seq, s.cause, s.at, s."fieldIds", s.by, s.proxy, s.other, s.before, s.after,
    coalesce(s.before, '') || coalesce(s.after, '') as row from (${built}) s`;
  const { rows } = await sql<TimelineEvent>`
    with page as materialized (select *, row_number() over (order by moment desc, rank desc, seq desc) as at from (
      select * from (${events(siteId, entryId)}) as events
      where (moment, rank, seq) < (${at}::timestamptz, ${rank}::int, ${seq}::bigint)
      order by moment desc, rank desc, seq desc limit ${limit}) as newest)
    select moment, rank, seq, cause, "fieldIds", by, proxy, other, before, after from (${upToBound(sized)}) as bounded order by at`.execute(
    db,
  );
  return rows;
}
