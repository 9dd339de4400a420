import { sql } from 'kysely';
import type { Db, Tx } from '../../../kernel/db/database.ts';
import type { StoredValues } from '../../schema/index.ts';
import { personJsonSql, type PersonRef } from './timeline.store.ts';

/** Upper bound of the length of a merge chain and of the number of merged entries in an answer. */
const MAX_LINEAGE = 1_000;

export interface EntryFacts {
  id: number;
  name: string;
  entryListId: number;
  created: Date;
  deleted: Date | null;
  deletedBy: PersonRef | null;
  mergedEntryId: number | null;
}

/** Name, creation and deletion of an entry of a type; deleted entries are found as well. */
export async function findEntryFacts(
  db: Db,
  siteId: number,
  typeId: number,
  entryId: number,
): Promise<EntryFacts | undefined> {
  const { rows } = await sql<EntryFacts>`
    select entry_id as id, name, type_id as "entryListId", created_at as created, deleted_at as deleted, merged_into as "mergedEntryId",
      case when deleted_at is not null then ${personJsonSql(sql`modified_by`)} end as "deletedBy"
    from entry_change where site_id = ${siteId} and type_id = ${typeId} and entry_id = ${entryId}`.execute(
    db,
  );
  return rows[0];
}

export interface MergeStep {
  id: number;
  name: string;
  entryListId: number;
  isDeleted: boolean;
  at: Date;
  by: PersonRef | null;
}

/** The entries that an entry was merged into, in order: the next target, then the target of that target. */
export async function findMergeTargets(db: Db, siteId: number, entryId: number): Promise<MergeStep[]> {
  const { rows } = await sql<MergeStep>`
    with recursive way(depth, id, at, user_id) as (
      select 1, merged_into, deleted_at, modified_by from entry_change
      where site_id = ${siteId} and entry_id = ${entryId} and merged_into is not null
      union all
      select way.depth + 1, c.merged_into, c.deleted_at, c.modified_by from way
      join entry_change c on c.site_id = ${siteId} and c.entry_id = way.id
      where c.merged_into is not null and way.depth < ${MAX_LINEAGE})
    select c.entry_id as id, c.name, c.type_id as "entryListId", c.deleted_at is not null as "isDeleted", way.at,
      ${personJsonSql(sql`way.user_id`)} as by
    from way join entry_change c on c.site_id = ${siteId} and c.entry_id = way.id order by way.depth`.execute(
    db,
  );
  return rows;
}

export interface MergedEntry {
  id: number;
  name: string;
  entryListId: number;
  mergedAt: Date;
  mergedEntryId: number;
  by: PersonRef | null;
}

/** A common table expression `taken` with an entry and those that were merged into it, directly or through others: `depth`, `id`. */
const withMerged = (siteId: number, entryId: number) => sql`
  with recursive taken(depth, id) as (
    select 0, ${entryId}::int
    union all
    select taken.depth + 1, c.entry_id from taken
    join entry_change c on c.site_id = ${siteId} and c.merged_into = taken.id where taken.depth < ${MAX_LINEAGE})`;

/** Ids of an entry and of those that were merged into it, directly or through others. */
export async function listMergedIds(db: Db, siteId: number, entryId: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`${withMerged(siteId, entryId)} select id from taken`.execute(db);
  return rows.map(({ id }) => id);
}

/** The entries that were merged into an entry, directly or through others, latest first. */
export async function findMergedEntries(db: Db, siteId: number, entryId: number): Promise<MergedEntry[]> {
  const { rows } = await sql<MergedEntry>`
    ${withMerged(siteId, entryId)}
    select c.entry_id as id, c.name, c.type_id as "entryListId", c.deleted_at as "mergedAt", c.merged_into as "mergedEntryId",
      ${personJsonSql(sql`c.modified_by`)} as by
    from taken join entry_change c on c.site_id = ${siteId} and c.entry_id = taken.id
    where taken.depth > 0 order by c.deleted_at desc, c.entry_id limit ${MAX_LINEAGE}`.execute(db);
  return rows;
}

/** An entry found by its id, with the last entry of its chain of merges. */
export interface FoundEntryRow {
  id: number;
  name: string;
  entryListId: number;
  deletedAt: Date | null;
  mergedEntryId: number | null;
  survivor: { id: number; name: string; entryListId: number; isDeleted: boolean } | null;
}

/** Entries of existing entry types by id, deleted and merged ones included, ordered by id. */
export async function findEntriesById(
  db: Db,
  siteId: number,
  ids: readonly number[],
): Promise<FoundEntryRow[]> {
  const { rows } = await sql<FoundEntryRow>`
    with recursive way(start, id, depth) as (
      select entry_id, merged_into, 1 from entry_change
      where site_id = ${siteId} and entry_id = any(${[...ids]}::int[]) and merged_into is not null
      union all
      select way.start, c.merged_into, way.depth + 1 from way
      join entry_change c on c.site_id = ${siteId} and c.entry_id = way.id
      where c.merged_into is not null and way.depth < ${MAX_LINEAGE}),
    last as (select distinct on (start) start, id from way order by start, depth desc)
    select e.entry_id as id, e.name, e.type_id as "entryListId", e.deleted_at as "deletedAt",
      e.merged_into as "mergedEntryId",
      case when s.entry_id is not null then json_build_object('id', s.entry_id, 'name', s.name,
        'entryListId', s.type_id, 'isDeleted', s.deleted_at is not null) end as survivor
    from entry_change e
    join entry_type t on t.site_id = ${siteId} and t.type_id = e.type_id
    left join last on last.start = e.entry_id
    left join entry_change s on s.site_id = ${siteId} and s.entry_id = last.id
    where e.site_id = ${siteId} and e.entry_id = any(${[...ids]}::int[]) order by e.entry_id`.execute(db);
  return rows;
}

interface NamedEntryRow {
  id: number;
  name: string;
  entryListId: number;
}

/**
 * Entries of all types whose `name_key` is one of the keys, at most `limit` for each key and type. Each key and type
 * takes one search of an index, whatever the number of entries.
 */
export async function findEntriesByName(
  db: Db,
  siteId: number,
  nameKeys: readonly string[],
  limit: number,
): Promise<NamedEntryRow[]> {
  const { rows } = await sql<NamedEntryRow>`
    select e.entry_id as id, e.name, t.type_id as "entryListId"
    from entry_type t cross join unnest(${[...nameKeys]}::text[]) as k(key) cross join lateral (
      select entry_id, name, name_key from entry
      where site_id = ${siteId} and type_id = t.type_id and name_key = k.key collate "C"
      order by entry_id limit ${limit}) e
    where t.site_id = ${siteId} order by e.name_key, e.entry_id`.execute(db);
  return rows;
}

/** Sorts after every other character: names with a prefix are less than the prefix followed by it. */
const LAST_CHARACTER = '\u{10FFFF}';

/**
 * The first entries of all types, by name, whose `name_key` begins with a key. Each type takes one search of an index and
 * at most `limit` rows, whatever the number of entries.
 */
export async function findEntriesByPrefix(
  db: Db,
  siteId: number,
  prefixKey: string,
  limit: number,
): Promise<NamedEntryRow[]> {
  const { rows } = await sql<NamedEntryRow>`
    select e.entry_id as id, e.name, t.type_id as "entryListId"
    from entry_type t cross join lateral (
      select entry_id, name, name_key from entry
      where site_id = ${siteId} and type_id = t.type_id
        and name_key >= ${prefixKey} and name_key < ${prefixKey + LAST_CHARACTER}
      order by name_key, entry_id limit ${limit}) e
    where t.site_id = ${siteId} order by e.name_key, e.entry_id limit ${limit}`.execute(db);
  return rows;
}

/** A deleted entry: its last values, and when, by whom and into which entry it was deleted or merged. */
export interface DeletedEntry {
  name: string;
  vals: StoredValues;
  deletedAt: Date;
  deletedBy: number | null;
  mergedInto: number | null;
}

/** Deleted entries of a type by id, locked so that concurrent requests restore each of them once. */
export async function lockDeletedEntries(
  tx: Tx,
  siteId: number,
  typeId: number,
  ids: readonly number[],
): Promise<Map<number, DeletedEntry>> {
  const { rows } = await sql<DeletedEntry & { id: number }>`
    select entry_id as id, name, last_vals as vals, deleted_at as "deletedAt", modified_by as "deletedBy", merged_into as "mergedInto"
    from entry_change
    where site_id = ${siteId} and entry_id = any(${[...ids]}::int[]) and type_id = ${typeId} and deleted_at is not null
    order by entry_id for update`.execute(tx);
  return new Map(rows.map(({ id, ...deleted }) => [id, deleted]));
}
