import { type RawBuilder, sql } from 'kysely';
import type { EntryFate } from '../../../../contract/generated/types.gen.ts';
import type { Db } from '../../../kernel/db/database.ts';
import type { Place } from '../query/cursor.ts';
import { personJson, type Somebody } from './timeline.store.ts';

type Sql = RawBuilder<unknown>;

/** Since when, and whether calculations and indirect changes count (shapes 4). */
export interface Since {
  siteId: number;
  since: Date;
  indirect: boolean;
  /** Only what this person did last. */
  userId: number | undefined;
}

export interface ChangedEntryRow {
  id: number;
  name: string;
  isDeleted: boolean;
  mergedEntryId: number | null;
  fate: EntryFate;
  at: Date;
  isIndirect: boolean;
  by: Somebody | null;
}

const columnOf = (indirect: boolean): Sql => sql.ref(indirect ? 'c.any_at' : 'c.direct_at');

/** Whether somebody made the last change, and not a calculation or a change elsewhere. */
const isByPerson = (indirect: boolean): Sql =>
  sql`(not ${indirect} or c.any_at <= coalesce(c.direct_at, c.created_at))`;

const isBy = ({ indirect, userId }: Since): Sql =>
  userId === undefined ? sql`true` : sql`(c.modified_by = ${userId} and ${isByPerson(indirect)})`;

const fateOf = (since: Date): Sql => sql`case when c.deleted_at is not null then 'gone'
  when c.created_at > ${since}::timestamptz then 'created' else 'changed' end`;

/** A page of the entries of a type that changed since a moment, the latest first. */
export async function latestChanges(
  db: Db,
  asked: Since,
  typeId: number,
  fate: EntryFate | undefined,
  behind: Place | undefined,
  limit: number,
): Promise<ChangedEntryRow[]> {
  const { siteId, since, indirect } = asked;
  const at = columnOf(indirect);
  const [before = 'infinity', id = 0] = behind ?? [];
  const wanted = fate === undefined ? sql`true` : sql`${fateOf(since)} = ${fate}`;
  const { rows } = await sql<ChangedEntryRow>`
    select c.entry_id as id, c.name, c.deleted_at is not null as "isDeleted", c.merged_into as "mergedEntryId",
      ${fateOf(since)} as fate, ${at} as at, c.any_at > coalesce(c.direct_at, c.created_at) and ${indirect} as "isIndirect",
      case when ${isByPerson(indirect)} then ${personJson(sql`c.modified_by`)} end as by
    from entry_change c
    where c.site_id = ${siteId} and c.type_id = ${typeId} and ${at} > ${since}::timestamptz
      and (${at}, c.entry_id) < (${before}::timestamptz, ${id}::int) and ${wanted} and ${isBy(asked)}
    order by ${at} desc, c.entry_id desc limit ${limit}`.execute(db);
  return rows;
}

export interface CountedChanges {
  entryTypeId: number;
  created: number;
  changed: number;
  gone: number;
}

/** How many entries of these types changed since a moment; those without any are left out. */
export async function changeCounts(
  db: Db,
  asked: Since,
  typeIds: readonly number[],
): Promise<CountedChanges[]> {
  const { siteId, since, indirect } = asked;
  const at = columnOf(indirect);
  const { rows } = await sql<CountedChanges>`
    select t.id as "entryTypeId", n.created, n.changed, n.gone
    from unnest(${[...typeIds]}::int[]) as t(id) cross join lateral (
      select count(*) filter (where fate = 'created')::int as created, count(*) filter (where fate = 'changed')::int as changed,
        count(*) filter (where fate = 'gone')::int as gone
      from (select ${fateOf(since)} as fate from entry_change c
        where c.site_id = ${siteId} and c.type_id = t.id and ${at} > ${since}::timestamptz and ${isBy(asked)}) as fates) n
    where n.created + n.changed + n.gone > 0 order by t.id`.execute(db);
  return rows;
}
