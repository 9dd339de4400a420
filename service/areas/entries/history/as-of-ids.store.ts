import { type RawBuilder, sql } from 'kysely';
import { ENTRY_ID } from '../../../../contract/rules/query/condition.ts';
import { FIELD } from '../../../../contract/rules/schema/fields.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { executeReplanned } from '../../../kernel/db/driver/prepared.ts';
import { ENTRY, slotSql, sortKeySql, textSql } from '../query/field-sql.store.ts';
import { type SortedIds, unpackIds } from '../query/id-list.ts';
import { conditionSql } from '../query/matching.store.ts';
import { createFieldLookup, matchesAll, type RowWindow, type Sort } from '../query/resolve-query.ts';
import { listIdsSql } from '../query/rows.store.ts';
import type { ListPart } from './as-of-cache.ts';
import { withoutSlot, type AsOfQuery, valuesAtSql } from './as-of-rows.store.ts';

type Sql = RawBuilder<unknown>;

/** Composition of a list: changed entries as they were, entries as they are today, and unchanged entries. */
export interface ListDefinition {
  part: ListPart;
  /** Changed entries that are listed with their values at the date. */
  asBefore: SortedIds;
  /** Entries that are listed with their current values. */
  asToday: SortedIds;
  /** All matching entries except these are listed as well; undefined: none are. */
  unchangedExcept: SortedIds | undefined;
  /** Entries that match today and are not listed. */
  excluded: SortedIds;
  /** Listed entries that do not match today. */
  additional: SortedIds;
}

/** Order key of past values in the format of the slot column, so that past and current values sort together. */
function pastSortKeySql(sort: Sort, siteId: number): Sql {
  const { field } = sort;
  if (field === ENTRY_ID) return sortKeySql(sort, siteId);
  if (field.fieldType === FIELD.date && slotSql(field))
    return sql`(extract(epoch from (${textSql(field)})::timestamp) * 1000)::float8`;
  return sortKeySql({ ...sort, field: withoutSlot(field) }, siteId);
}

/** Rows of a list with their order keys; `isUnchanged`: the unchanged entries, which may be many. */
interface RowSource {
  isUnchanged: boolean;
  rows: Sql;
}

/** The sources of a list as selects of `entry_id` and the order key, which is null without an order. */
function listSources(query: AsOfQuery, { asBefore, asToday, unchangedExcept }: ListDefinition): RowSource[] {
  const { type, condition, context, sort, at } = query;
  const { siteId } = context;
  const ofType = sql`from entry ${ENTRY} where ${ENTRY}.site_id = ${siteId} and ${ENTRY}.type_id = ${type.id}`;
  const key = sort ? sortKeySql(sort, siteId) : sql`null::int`;
  const sortFieldIds = sort && sort.field !== ENTRY_ID ? [sort.field.id] : [];
  const held = valuesAtSql(siteId, sql`coalesce(n.vals, c.last_vals)`, sql`c.entry_id`, sortFieldIds, at);
  const parts: RowSource[] = [];
  if (asBefore.length > 0)
    parts.push({
      isUnchanged: false,
      rows: sql`select ${ENTRY}.entry_id, ${sort ? pastSortKeySql(sort, siteId) : sql`null::int`} as key from (
      select c.entry_id, ${held} as vals from entry_change c
      left join entry n on n.site_id = c.site_id and n.entry_id = c.entry_id
      where c.site_id = ${siteId} and c.entry_id = any(${[...asBefore]}::int[])) ${ENTRY}`,
    });
  if (unchangedExcept)
    parts.push({
      isUnchanged: true,
      rows: sql`select ${ENTRY}.entry_id, ${key} as key ${ofType}
      and ${conditionSql(condition, createFieldLookup(query.type), context)} and ${ENTRY}.entry_id <> all(${[...unchangedExcept]}::int[])`,
    });
  if (asToday.length > 0 || parts.length === 0)
    parts.push({
      isUnchanged: false,
      rows: sql`select ${ENTRY}.entry_id, ${key} as key ${ofType} and ${ENTRY}.entry_id = any(${[...asToday]}::int[])`,
    });
  return parts;
}

const countBeforeEdgeSql = (ids: SortedIds): Sql =>
  sql`(select count(*) from unnest(${[...ids]}::int[]) as known(id) where known.id < (select id from edge))`;

/**
 * A page of all entries in the order of ids. Block counts give the position of current entries; added and deleted entries
 * shift it by at most their number (docs/decisions/0027).
 */
async function readPlainPageIds(
  db: Db,
  query: AsOfQuery,
  { excluded, additional }: ListDefinition,
  { limit, skip }: RowWindow,
): Promise<SortedIds> {
  const begin = Math.max(0, skip - additional.length);
  const near = { skip: begin, limit: skip + limit + excluded.length - begin };
  const placed = sql`
    with live as materialized (select entry_id as id from (${listIdsSql(query, near)}) as ids),
      edge as (select min(id) as id from live),
      together as (
        select id from live where id <> all(${[...excluded]}::int[])
        union all select known.id from unnest(${[...additional]}::int[]) as known(id)
          where ${begin === 0 ? sql`true` : sql`known.id > (select id from edge)`})
    select id, row_number() over (order by id) ${begin === 0 ? sql`` : sql`+ ${begin} + ${countBeforeEdgeSql(additional)} - ${countBeforeEdgeSql(excluded)}`} as at
    from together`;
  return readIds(
    db,
    sql`select id, at from (${placed}) as placed where at > ${skip} and at <= ${skip + limit}`,
  );
}

/** Reads ids in the order of `at`, packed as binary because lists can be long. */
async function readIds(db: Db, placed: Sql): Promise<SortedIds> {
  const { rows } = await executeReplanned(
    sql<{ ids: Uint8Array | null }>`
    select string_agg(int4send(id), '' order by at) as ids from (${placed}) as placed`,
    db,
  );
  return unpackIds(rows[0]?.ids ?? null);
}

/**
 * The ids of a page, of entries with an order key only. Changed entries are few and read completely; of the unchanged
 * ones, those that precede the page in any case are skipped. Returns fewer ids than `limit` if the page reaches the
 * entries without a key.
 */
function readKeyedPageIds(
  db: Db,
  query: AsOfQuery,
  list: ListDefinition,
  { limit, skip }: RowWindow,
): Promise<SortedIds> {
  const changedCount = list.asBefore.length + list.asToday.length;
  const begin = Math.max(0, skip - changedCount);
  const { sort } = query;
  const direction = sort?.descending ? sql`desc` : sql`asc`;
  const by = sort ? sql`key ${direction}, entry_id ${direction}` : sql`entry_id`;
  const holds = sort ? sql`key is not null` : sql`true`;
  const parts = listSources(query, list).map(({ isUnchanged, rows }) => {
    const place = isUnchanged ? sql`order by ${by} limit ${limit + changedCount} offset ${begin}` : sql``;
    return sql`(select entry_id, key from (${rows}) as part where ${holds} ${place})`;
  });
  const page = sql`select entry_id, key from (${sql.join(parts, sql` union all `)}) as parts
    order by ${by} limit ${limit} offset ${skip - begin}`;
  return readIds(
    db,
    sql`select entry_id as id, row_number() over (order by ${by}) as at from (${page}) as page`,
  );
}

/** Ids with their positions in the requested order; entries without a value are last (rows.store.ts). */
function positionedSql(query: AsOfQuery, rows: Sql): Sql {
  const { sort } = query;
  if (!sort) return sql`select entry_id as id, entry_id as at from (${rows}) as rows`;
  const [by, tie] = sort.descending ? [sql`key desc`, sql`-entry_id`] : [sql`key`, sql`entry_id`];
  return sql`select entry_id as id, row_number() over (
      order by key is null, ${by}, case when key is null then entry_id else ${tie} end) as at from (${rows}) as rows`;
}

/** The first `limit` ids of a list in its order. */
export const readAllIds = (
  db: Db,
  query: AsOfQuery,
  list: ListDefinition,
  limit: number,
): Promise<SortedIds> => {
  const parts = listSources(query, list).map(({ rows }) => sql`(${rows})`);
  return readIds(db, positionedSql(query, sql`${sql.join(parts, sql` union all `)} limit ${limit}`));
};

/** The ids of a page; entries without a value are read only when the page reaches them. */
export async function readPageIds(
  db: Db,
  query: AsOfQuery,
  list: ListDefinition,
  window: RowWindow,
): Promise<SortedIds> {
  if (isPlainList(query, list)) return readPlainPageIds(db, query, list, window);
  const ids = await readKeyedPageIds(db, query, list, window);
  const { sort } = query;
  return sort && ids.length < window.limit ? readPageIdsWithEmpty(db, { ...query, sort }, list, window) : ids;
}

const isPlainList = ({ condition, sort }: AsOfQuery, { unchangedExcept }: ListDefinition): boolean =>
  !sort && unchangedExcept !== undefined && matchesAll(condition);

/** Number of ids that the statement of a page has as parameters. */
export const countBoundIds = (query: AsOfQuery, list: ListDefinition): number => {
  const { asBefore, asToday, unchangedExcept, excluded, additional } = list;
  return isPlainList(query, list)
    ? excluded.length + additional.length
    : asBefore.length + asToday.length + (unchangedExcept?.length ?? 0);
};

/** The ids of a page that reaches entries without a value; reads from the start, as the number of values is unknown. */
function readPageIdsWithEmpty(
  db: Db,
  query: AsOfQuery & { sort: Sort },
  list: ListDefinition,
  { limit, skip }: RowWindow,
): Promise<SortedIds> {
  const end = skip + limit;
  const direction = query.sort.descending ? sql`desc` : sql`asc`;
  const byKey = sql`key ${direction}, entry_id ${direction}`;
  const selectFirst = (holds: Sql, by: Sql): Sql => {
    const parts = listSources(query, list).map(
      ({ rows }) =>
        sql`(select entry_id, key from (${rows}) as part where ${holds} order by ${by} limit ${end})`,
    );
    return sql`select entry_id, key from (${sql.join(parts, sql` union all `)}) as parts order by ${by} limit ${end}`;
  };
  const isShort = sql`key is null and (select count(*) from keyed) < ${end}`;
  const rows = sql`
    with keyed as materialized (${selectFirst(sql`key is not null`, byKey)}),
      others as materialized (${selectFirst(isShort, sql`entry_id`)})
    select entry_id, key from keyed union all select entry_id, key from others`;
  return readIds(
    db,
    sql`select id, at from (${positionedSql(query, rows)}) as placed where at > ${skip} and at <= ${end}`,
  );
}
