import { type RawBuilder, sql } from 'kysely';
import type { EntryFate } from '../../../../contract/generated/types.gen.ts';
import type { Db } from '../../../kernel/db/database.ts';
import type { CursorPosition } from '../../../kernel/http/cursor.ts';
import { personJsonSql, type PersonRef } from './timeline.store.ts';

type Sql = RawBuilder<unknown>;

/** Which changes count: since a timestamp, with or without calculations and indirect changes (shapes 4). */
export interface ChangeFilter {
  siteId: number;
  since: Date;
  indirect: boolean;
  /** Only entries whose last change was made by this user; undefined: by anybody. */
  userId: number | undefined;
}

/** An entry with its last change. */
export interface ChangedEntryRow {
  id: number;
  name: string;
  isDeleted: boolean;
  mergedEntryId: number | null;
  fate: EntryFate;
  at: Date;
  isIndirect: boolean;
  by: PersonRef | null;
}

const changeTimeSql = (indirect: boolean): Sql => sql.ref(indirect ? 'c.any_at' : 'c.direct_at');

/** Whether a user made the last change, not a calculation or a change of another entry. */
const isByPersonSql = (indirect: boolean): Sql =>
  sql`(not ${indirect} or c.any_at <= coalesce(c.direct_at, c.created_at))`;

const isByUserSql = ({ indirect, userId }: ChangeFilter): Sql =>
  userId === undefined ? sql`true` : sql`(c.modified_by = ${userId} and ${isByPersonSql(indirect)})`;

const fateSql = (since: Date): Sql => sql`case when c.deleted_at is not null then 'gone'
  when c.created_at > ${since}::timestamptz then 'created' else 'changed' end`;

/** A page of the entries of a type that changed since a timestamp, latest first. */
export async function findLatestChanges(
  db: Db,
  filter: ChangeFilter,
  typeId: number,
  fate: EntryFate | undefined,
  after: CursorPosition | undefined,
  limit: number,
): Promise<ChangedEntryRow[]> {
  const { siteId, since, indirect } = filter;
  const at = changeTimeSql(indirect);
  const [before = 'infinity', id = 0] = after ?? [];
  const hasFate = fate === undefined ? sql`true` : sql`${fateSql(since)} = ${fate}`;
  const { rows } = await sql<ChangedEntryRow>`
    select c.entry_id as id, c.name, c.deleted_at is not null as "isDeleted", c.merged_into as "mergedEntryId",
      ${fateSql(since)} as fate, ${at} as at, c.any_at > coalesce(c.direct_at, c.created_at) and ${indirect} as "isIndirect",
      case when ${isByPersonSql(indirect)} then ${personJsonSql(sql`c.modified_by`)} end as by
    from entry_change c
    where c.site_id = ${siteId} and c.type_id = ${typeId} and ${at} > ${since}::timestamptz
      and (${at}, c.entry_id) < (${before}::timestamptz, ${id}::int) and ${hasFate} and ${isByUserSql(filter)}
    order by ${at} desc, c.entry_id desc limit ${limit}`.execute(db);
  return rows;
}

export interface ChangeCounts {
  entryTypeId: number;
  created: number;
  changed: number;
  gone: number;
}

/** Counts the entries of these types that changed since a timestamp; types without changes are left out. */
export async function countChanges(
  db: Db,
  filter: ChangeFilter,
  typeIds: readonly number[],
): Promise<ChangeCounts[]> {
  const { siteId, since, indirect } = filter;
  const at = changeTimeSql(indirect);
  const { rows } = await sql<ChangeCounts>`
    select t.id as "entryTypeId", n.created, n.changed, n.gone
    from unnest(${[...typeIds]}::int[]) as t(id) cross join lateral (
      select count(*) filter (where fate = 'created')::int as created, count(*) filter (where fate = 'changed')::int as changed,
        count(*) filter (where fate = 'gone')::int as gone
      from (select ${fateSql(since)} as fate from entry_change c
        where c.site_id = ${siteId} and c.type_id = t.id and ${at} > ${since}::timestamptz and ${isByUserSql(filter)}) as fates) n
    where n.created + n.changed + n.gone > 0 order by t.id`.execute(db);
  return rows;
}

/** Number of entries that one statement of `streamChangedEntries` reads. */
const BATCH_SIZE = 10_000;

/** Changes of one type since a timestamp, with or without calculations and indirect changes (shapes 4). */
interface HistoryFilter {
  siteId: number;
  typeId: number;
  since: Date;
  indirect: boolean;
}

/**
 * Yields the entries that changed since a timestamp as comma-separated ModifiedEntryVm JSON, in the order of their last
 * change. An entry that changes again during the stream moves behind the current position and is sent a second time:
 * no change is left out.
 */
export async function* streamChangedEntries(
  db: Db,
  { siteId, typeId, since, indirect }: HistoryFilter,
): AsyncGenerator<string[]> {
  const at = indirect ? sql.ref('any_at') : sql.ref('direct_at');
  let last = { at: since, id: 0 };
  for (;;) {
    // Keyset pagination: each batch starts after the previous one.
    const { rows } = await sql<ChangedEntriesBatch>`
      with batch as materialized (
        select entry_id, ${at} as at, name, type_id, deleted_at is not null as is_deleted, merged_into from entry_change
        where site_id = ${siteId} and type_id = ${typeId} and (${at}, entry_id) > (${last.at}::timestamptz, ${last.id}::int)
        order by ${at}, entry_id limit ${BATCH_SIZE})
      select count(*)::int as count, string_agg('{"id":' || entry_id || ',"name":' || to_json(name) || ',"entryListId":' || type_id ||
          ',"isDeleted":' || is_deleted || coalesce(',"mergedEntryId":' || merged_into, '') || '}', ',') as items,
        max(at) as at, (array_agg(entry_id))[count(*)::int] as id
      from batch`.execute(db);
    const [batch] = rows;
    if (!batch?.at || !batch.id || batch.items === null) return;
    yield [batch.items];
    if (batch.count < BATCH_SIZE) return;
    last = { at: batch.at, id: batch.id };
  }
}

/** One batch as a single JSON text, so that the event loop handles one value instead of thousands of rows. */
interface ChangedEntriesBatch {
  count: number;
  items: string | null;
  at: Date | null;
  /** Id of the last entry of the batch. */
  id: number | null;
}

/** Ids of the types that have or had entries, including deleted types; an index skip scan finds each with one lookup. */
export async function listTypesWithHistory(db: Db, siteId: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    with recursive t(id) as (
      (select type_id from entry_change where site_id = ${siteId} order by type_id limit 1)
      union all
      select (select c.type_id from entry_change c where c.site_id = ${siteId} and c.type_id > t.id order by c.type_id limit 1)
      from t where t.id is not null)
    select id from t where id is not null`.execute(db);
  return rows.map(({ id }) => id);
}

/**
 * Number of entries whose logs `findChangeTimesAround` searches, those that changed first. With more changed entries the
 * answer may skip a change.
 */
const MAX_LOGGED_ENTRIES = 20_000;

interface ChangeTimes {
  before: Date | null;
  after: Date | null;
}

/** The last change of any entry of the type before a timestamp, and the first after it. */
export async function findChangeTimesAround(
  db: Db,
  siteId: number,
  typeId: number,
  at: Date,
): Promise<ChangeTimes> {
  const timestamp = sql`${at}::timestamptz(3)`;
  const { rows } = await sql<ChangeTimes>`
    with later as materialized (
      select entry_id, created_at, any_at from entry_change
      where site_id = ${siteId} and type_id = ${typeId} and any_at >= ${timestamp} order by any_at limit ${MAX_LOGGED_ENTRIES}),
    logged as (
      select max(l.before) as before, min(l.after) as after from later cross join lateral (
        select max(at) filter (where at < ${timestamp}) as before, min(at) filter (where at > ${timestamp}) as after
        from cell_log where site_id = ${siteId} and entry_id = later.entry_id) l),
    made as (
      select max(created_at) filter (where created_at < ${timestamp}) as before,
        least(min(created_at) filter (where created_at > ${timestamp}), min(any_at) filter (where any_at > ${timestamp})) as after from later)
    select greatest(logged.before, made.before, (select max(any_at) from entry_change
        where site_id = ${siteId} and type_id = ${typeId} and any_at < ${timestamp})) as before,
      least(logged.after, made.after) as after
    from logged, made`.execute(db);
  return rows[0] ?? { before: null, after: null };
}
