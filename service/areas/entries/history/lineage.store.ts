import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/database.ts';
import { personJson, type Somebody } from './timeline.store.ts';

/** Chains of merges are short; a bound keeps an answer small whatever somebody did. */
const MOST = 1_000;

export interface EntryFacts {
  id: number;
  name: string;
  entryListId: number;
  created: Date;
  deleted: Date | null;
  deletedBy: Somebody | null;
  mergedEntryId: number | null;
}

/** What is known of an entry of a type, one that is gone as well. */
export async function entryFacts(
  db: Db,
  siteId: number,
  typeId: number,
  entryId: number,
): Promise<EntryFacts | undefined> {
  const { rows } = await sql<EntryFacts>`
    select entry_id as id, name, type_id as "entryListId", created_at as created, deleted_at as deleted, merged_into as "mergedEntryId",
      case when deleted_at is not null then ${personJson(sql`modified_by`)} end as "deletedBy"
    from entry_change where site_id = ${siteId} and type_id = ${typeId} and entry_id = ${entryId}`.execute(
    db,
  );
  return rows[0];
}

export interface Step {
  id: number;
  name: string;
  entryListId: number;
  isDeleted: boolean;
  at: Date;
  by: Somebody | null;
}

/** The entries that an entry went into, one after the other. */
export async function wentInto(db: Db, siteId: number, entryId: number): Promise<Step[]> {
  const { rows } = await sql<Step>`
    with recursive way(depth, id, at, user_id) as (
      select 1, merged_into, deleted_at, modified_by from entry_change
      where site_id = ${siteId} and entry_id = ${entryId} and merged_into is not null
      union all
      select way.depth + 1, c.merged_into, c.deleted_at, c.modified_by from way
      join entry_change c on c.site_id = ${siteId} and c.entry_id = way.id
      where c.merged_into is not null and way.depth < ${MOST})
    select c.entry_id as id, c.name, c.type_id as "entryListId", c.deleted_at is not null as "isDeleted", way.at,
      ${personJson(sql`way.user_id`)} as by
    from way join entry_change c on c.site_id = ${siteId} and c.entry_id = way.id order by way.depth`.execute(
    db,
  );
  return rows;
}

export interface TakenIn {
  id: number;
  name: string;
  entryListId: number;
  mergedAt: Date;
  mergedEntryId: number;
  by: Somebody | null;
}

/** The entries that went into an entry, directly or through others, the latest first. */
export async function tookIn(db: Db, siteId: number, entryId: number): Promise<TakenIn[]> {
  const { rows } = await sql<TakenIn>`
    with recursive taken(depth, id) as (
      select 0, ${entryId}::int
      union all
      select taken.depth + 1, c.entry_id from taken
      join entry_change c on c.site_id = ${siteId} and c.merged_into = taken.id where taken.depth < ${MOST})
    select c.entry_id as id, c.name, c.type_id as "entryListId", c.deleted_at as "mergedAt", c.merged_into as "mergedEntryId",
      ${personJson(sql`c.modified_by`)} as by
    from taken join entry_change c on c.site_id = ${siteId} and c.entry_id = taken.id
    where taken.depth > 0 order by c.deleted_at desc, c.entry_id limit ${MOST}`.execute(db);
  return rows;
}
