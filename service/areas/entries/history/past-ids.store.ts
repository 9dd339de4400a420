import { type RawBuilder, sql } from 'kysely';
import { FIELD } from '../../../../contract/rules/fields.ts';
import { ENTRY_ID } from '../../../../contract/rules/query/tree.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { textOf, slotOf } from '../query/columns.store.ts';
import { conditionSql } from '../query/conditions.store.ts';
import { type Ids, unpacked } from '../query/id-list.ts';
import { asksForAll, type Window } from '../query/matching.store.ts';
import { type Order, orderSql } from '../query/order.store.ts';
import { bare, fieldOfType, type PastWanted, valuesThen } from './past-values.store.ts';
import type { PastPart } from './past-known.ts';
import { plainIds } from '../query/rows.store.ts';

type Sql = RawBuilder<unknown>;

/** What a list is made of: entries as they were, entries as they are, or all that have not changed as well. */
export interface ListOf {
  /** Of which part of the comparison it is. */
  part: PastPart;
  /** Entries that changed and stand in the list as they were. */
  was: Ids;
  /** Entries that stand there as they are. */
  is: Ids;
  /** All matching entries but these as well; undefined: none. */
  unchangedBut: Ids | undefined;
  /** Of the matching entries of today: those that do not stand there, and those that do besides. */
  without: Ids;
  besides: Ids;
}

/** The column that orders, of values of the past: as the slot would hold it, so that both kinds stand in one order. */
function pastKey(order: Order, siteId: number): Sql {
  const { field } = order;
  if (field === ENTRY_ID) return orderSql(order, siteId);
  if (field.fieldType === FIELD.date && slotOf(field))
    return sql`(extract(epoch from (${textOf(field)})::timestamp) * 1000)::float8`;
  return orderSql({ ...order, field: bare(field) }, siteId);
}

/** Rows with their keys; the rest is all that has not changed. */
interface Part {
  isRest: boolean;
  rows: Sql;
}

/** What a page may be made of, one part for each kind: ids with the key of the order, null without one. */
function partsOf(wanted: PastWanted, { was, is, unchangedBut }: ListOf): Part[] {
  const { type, condition, asked, order, at } = wanted;
  const { siteId } = asked;
  const ofType = sql`from entry e where e.site_id = ${siteId} and e.type_id = ${type.id}`;
  const key = order ? orderSql(order, siteId) : sql`null::int`;
  const orderIds = order && order.field !== ENTRY_ID ? [order.field.id] : [];
  const held = valuesThen(siteId, sql`coalesce(n.vals, c.last_vals)`, sql`c.entry_id`, orderIds, at);
  const parts: Part[] = [];
  if (was.length > 0)
    parts.push({
      isRest: false,
      rows: sql`select e.entry_id, ${order ? pastKey(order, siteId) : sql`null::int`} as key from (
      select c.entry_id, ${held} as vals from entry_change c
      left join entry n on n.site_id = c.site_id and n.entry_id = c.entry_id
      where c.site_id = ${siteId} and c.entry_id = any(${[...was]}::int[])) e`,
    });
  if (unchangedBut)
    parts.push({
      isRest: true,
      rows: sql`select e.entry_id, ${key} as key ${ofType}
      and ${conditionSql(condition, fieldOfType(wanted), asked)} and e.entry_id <> all(${[...unchangedBut]}::int[])`,
    });
  if (is.length > 0 || parts.length === 0)
    parts.push({
      isRest: false,
      rows: sql`select e.entry_id, ${key} as key ${ofType} and e.entry_id = any(${[...is]}::int[])`,
    });
  return parts;
}

const countBefore = (ids: Ids): Sql =>
  sql`(select count(*) from unnest(${[...ids]}::int[]) as known(id) where known.id < (select id from edge))`;

/**
 * A page of all entries by their ids: the blocks of the list tell where today's begin, and what came and went since
 * moves a place by so many at most (docs/decisions/0027).
 */
async function plainIdsOf(
  db: Db,
  wanted: PastWanted,
  { without, besides }: ListOf,
  { limit, skip }: Window,
): Promise<Ids> {
  const begin = Math.max(0, skip - besides.length);
  const near = { skip: begin, limit: skip + limit + without.length - begin };
  const placed = sql`
    with live as materialized (select entry_id as id from (${plainIds(wanted, near)}) as ids),
      edge as (select min(id) as id from live),
      together as (
        select id from live where id <> all(${[...without]}::int[])
        union all select known.id from unnest(${[...besides]}::int[]) as known(id)
          where ${begin === 0 ? sql`true` : sql`known.id > (select id from edge)`})
    select id, row_number() over (order by id) ${begin === 0 ? sql`` : sql`+ ${begin} + ${countBefore(besides)} - ${countBefore(without)}`} as at
    from together`;
  return readIds(
    db,
    sql`select id, at from (${placed}) as placed where at > ${skip} and at <= ${skip + limit}`,
  );
}

/** Reads `id`s by their places, `at`: packed, as whole lists can be long. */
async function readIds(db: Db, placed: Sql): Promise<Ids> {
  const { rows } = await sql<{ ids: Uint8Array | null }>`
    select string_agg(int4send(id), '' order by at) as ids from (${placed}) as placed`.execute(db);
  return unpacked(rows[0]?.ids ?? null);
}

/**
 * The ids of a page by a key that all of its rows have. What has changed is little and read whole; of the rest, so many
 * are left out in front as stand there whatever of the others does. Fewer than asked for: the page reaches beyond.
 */
function keyedIds(db: Db, wanted: PastWanted, list: ListOf, { limit, skip }: Window): Promise<Ids> {
  const few = list.was.length + list.is.length;
  const begin = Math.max(0, skip - few);
  const { order } = wanted;
  const direction = order?.descending ? sql`desc` : sql`asc`;
  const by = order ? sql`key ${direction}, entry_id ${direction}` : sql`entry_id`;
  const holds = order ? sql`key is not null` : sql`true`;
  const parts = partsOf(wanted, list).map(({ isRest, rows }) => {
    const place = isRest ? sql`order by ${by} limit ${limit + few} offset ${begin}` : sql``;
    return sql`(select entry_id, key from (${rows}) as part where ${holds} ${place})`;
  });
  const page = sql`select entry_id, key from (${sql.join(parts, sql` union all `)}) as parts
    order by ${by} limit ${limit} offset ${skip - begin}`;
  return readIds(
    db,
    sql`select entry_id as id, row_number() over (order by ${by}) as at from (${page}) as page`,
  );
}

/** In the order that was asked for; entries without a value stand last (rows.store.ts). */
function placedIn(wanted: PastWanted, rows: Sql): Sql {
  const { order } = wanted;
  if (!order) return sql`select entry_id as id, entry_id as at from (${rows}) as rows`;
  const [by, tie] = order.descending ? [sql`key desc`, sql`-entry_id`] : [sql`key`, sql`entry_id`];
  return sql`select entry_id as id, row_number() over (
      order by key is null, ${by}, case when key is null then entry_id else ${tie} end) as at from (${rows}) as rows`;
}

/** All ids of a list in its order, `most` of them. */
export const listedIds = (db: Db, wanted: PastWanted, list: ListOf, most: number): Promise<Ids> => {
  const parts = partsOf(wanted, list).map(({ rows }) => sql`(${rows})`);
  return readIds(db, placedIn(wanted, sql`${sql.join(parts, sql` union all `)} limit ${most}`));
};

/** The same of a page alone; those without a value are looked for only when it reaches beyond the others. */
export async function pageIds(db: Db, wanted: PastWanted, list: ListOf, window: Window): Promise<Ids> {
  if (isPlain(wanted, list)) return plainIdsOf(db, wanted, list, window);
  const ids = await keyedIds(db, wanted, list, window);
  const { order } = wanted;
  return order && ids.length < window.limit ? withEmpty(db, { ...wanted, order }, list, window) : ids;
}

const isPlain = ({ order, condition }: PastWanted, { unchangedBut }: ListOf): boolean =>
  !order && unchangedBut !== undefined && asksForAll(condition);

/** How many ids the statement of a page is given along. */
export const givenAlong = (wanted: PastWanted, list: ListOf): number => {
  const { was, is, unchangedBut, without, besides } = list;
  return isPlain(wanted, list)
    ? without.length + besides.length
    : was.length + is.length + (unchangedBut?.length ?? 0);
};

/** Read from the beginning: how many have a value is not known before. */
function withEmpty(
  db: Db,
  wanted: PastWanted & { order: Order },
  list: ListOf,
  { limit, skip }: Window,
): Promise<Ids> {
  const most = skip + limit;
  const direction = wanted.order.descending ? sql`desc` : sql`asc`;
  const byKey = sql`key ${direction}, entry_id ${direction}`;
  const firstOf = (holds: Sql, by: Sql): Sql => {
    const parts = partsOf(wanted, list).map(
      ({ rows }) =>
        sql`(select entry_id, key from (${rows}) as part where ${holds} order by ${by} limit ${most})`,
    );
    return sql`select entry_id, key from (${sql.join(parts, sql` union all `)}) as parts order by ${by} limit ${most}`;
  };
  const isShort = sql`key is null and (select count(*) from keyed) < ${most}`;
  const rows = sql`
    with keyed as materialized (${firstOf(sql`key is not null`, byKey)}),
      others as materialized (${firstOf(isShort, sql`entry_id`)})
    select entry_id, key from keyed union all select entry_id, key from others`;
  return readIds(
    db,
    sql`select id, at from (${placedIn(wanted, rows)}) as placed where at > ${skip} and at <= ${most}`,
  );
}
