import { type RawBuilder, sql } from 'kysely';
import { FIELD } from '../../../contract/rules/fields.ts';
import { ENTRY_ID } from '../../../contract/rules/query/tree.ts';
import type { Db } from '../../kernel/db/database.ts';
import { textOf, slotOf } from './columns.store.ts';
import { conditionSql } from './conditions.store.ts';
import { asksForAll } from './matching.store.ts';
import { type Order, orderSql } from './order.store.ts';
import { bare, fieldOfType, type PastWanted, valuesThen } from './past-values.store.ts';
import { plainIds, type Window } from './rows.store.ts';

type Sql = RawBuilder<unknown>;

/** Which rows a page is made of: entries as they were, entries as they are, or all that have not changed as well. */
export interface PageOf {
  /** Entries that changed and stand on the page as they were. */
  was: readonly number[];
  /** Entries that stand there as they are. */
  is: readonly number[];
  /** All matching entries but these as well; undefined: none. */
  unchangedBut: readonly number[] | undefined;
  /** Of the matching entries of today: those that do not stand there, and those that do besides. */
  without: readonly number[];
  besides: readonly number[];
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
function partsOf(wanted: PastWanted, { was, is, unchangedBut }: PageOf): Part[] {
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

const countBefore = (ids: readonly number[]): Sql =>
  sql`(select count(*) from unnest(${[...ids]}::int[]) as known(id) where known.id < (select id from edge))`;

/**
 * A page of all entries by their ids: the blocks of the list tell where today's begin, and what came and went since
 * moves a place by so many at most (docs/decisions/0027).
 */
function plainPage(wanted: PastWanted, { without, besides }: PageOf, { limit, skip }: Window): Sql {
  const begin = Math.max(0, skip - besides.length);
  const near = { skip: begin, limit: skip + limit + without.length - begin };
  return sql`select entry_id, at from (
    with live as materialized (select entry_id as id from (${plainIds(wanted, near)}) as ids),
      edge as (select min(id) as id from live),
      together as (
        select id from live where id <> all(${[...without]}::int[])
        union all select known.id from unnest(${[...besides]}::int[]) as known(id)
          where ${begin === 0 ? sql`true` : sql`known.id > (select id from edge)`})
    select id as entry_id, row_number() over (order by id) ${begin === 0 ? sql`` : sql`+ ${begin} + ${countBefore(besides)} - ${countBefore(without)}`} as at
    from together) as placed where at > ${skip} and at <= ${skip + limit}`;
}

/**
 * The ids of a page by a key that all of its rows have. What has changed is little and read whole; of the rest, so many
 * are left out in front as stand there whatever of the others does. Fewer than asked for: the page reaches beyond.
 */
async function keyedIds(
  db: Db,
  wanted: PastWanted,
  page: PageOf,
  { limit, skip }: Window,
): Promise<number[]> {
  const few = page.was.length + page.is.length;
  const begin = Math.max(0, skip - few);
  const { order } = wanted;
  const direction = order?.descending ? sql`desc` : sql`asc`;
  const by = order ? sql`key ${direction}, entry_id ${direction}` : sql`entry_id`;
  const holds = order ? sql`key is not null` : sql`true`;
  const parts = partsOf(wanted, page).map(({ isRest, rows }) => {
    const place = isRest ? sql`order by ${by} limit ${limit + few} offset ${begin}` : sql``;
    return sql`(select entry_id, key from (${rows}) as part where ${holds} ${place})`;
  });
  const { rows } = await sql<{ entry_id: number }>`
    select entry_id from (${sql.join(parts, sql` union all `)}) as parts
    order by ${by} limit ${limit} offset ${skip - begin}`.execute(db);
  return rows.map((row) => row.entry_id);
}

const numbered = (ids: readonly number[]): Sql =>
  sql`select id as entry_id, at from unnest(${[...ids]}::int[]) with ordinality as ids(id, at)`;

/**
 * The ids of a page in the order that was asked for; entries without a value stand last (rows.store.ts), and are looked
 * for only when the page reaches beyond the others.
 */
export async function pageIds(db: Db, wanted: PastWanted, page: PageOf, window: Window): Promise<Sql> {
  const { order, condition } = wanted;
  if (!order && page.unchangedBut && asksForAll(condition)) return plainPage(wanted, page, window);
  const ids = await keyedIds(db, wanted, page, window);
  return order && ids.length < window.limit ? withEmpty({ ...wanted, order }, page, window) : numbered(ids);
}

/** The same, read from the beginning: how many have a value is not known before. */
function withEmpty(wanted: PastWanted & { order: Order }, page: PageOf, { limit, skip }: Window): Sql {
  const parts = partsOf(wanted, page);
  const most = skip + limit;
  const firstOf = (holds: Sql, by: Sql): Sql =>
    sql`select entry_id, key from (${sql.join(
      parts.map(
        ({ rows }) =>
          sql`(select entry_id, key from (${rows}) as part where ${holds} order by ${by} limit ${most})`,
      ),
      sql` union all `,
    )}) as parts order by ${by} limit ${most}`;
  const direction = wanted.order.descending ? sql`desc` : sql`asc`;
  const byKey = sql`key ${direction}, entry_id ${direction}`;
  const isShort = sql`key is null and (select count(*) from keyed) < ${most}`;
  const ids = sql`
    with keyed as materialized (${firstOf(sql`key is not null`, byKey)}),
      others as materialized (${firstOf(isShort, sql`entry_id`)})
    select entry_id from (
      select entry_id, row_number() over (order by ${byKey}) as place, 0 as last from keyed
      union all select entry_id, row_number() over (order by entry_id), 1 from others) as both_kinds
    order by last, place`;
  return sql`select entry_id, row_number() over () as at from (${ids} limit ${limit} offset ${skip}) as ids`;
}
