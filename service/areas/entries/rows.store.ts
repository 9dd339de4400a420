import { type RawBuilder, sql } from 'kysely';
import type { Condition } from '../../../contract/rules/query/tree.ts';
import type { Db } from '../../kernel/db/database.ts';
import { ENTRIES_BY_TYPE, listPage } from '../../kernel/db/list-page.ts';
import type { EntryType, SchemaField } from '../schema/index.ts';
import { requireBound, upToBound } from './bounds.store.ts';
import { type Asked, conditionSql, type FieldOf, textsWith } from './conditions.store.ts';
import { isOwnOrder, type Order, orderKey, orderSql, ordersText } from './order.store.ts';
import { placeOf, type Position, positionAt, rememberPosition } from './positions.ts';
import { type Rendering, rowJson } from './render.store.ts';

type Sql = RawBuilder<unknown>;

/** A query whose names are resolved: which entries of a type, in which order. */
export interface Wanted {
  type: EntryType;
  condition: Condition;
  /** Undefined: by id. */
  order: Order | undefined;
  asked: Asked;
}

export interface Window {
  limit: number;
  skip: number;
}

interface Row extends Position {
  row: string;
  bytes: number;
}

const asksForAll = (condition: Condition): boolean =>
  condition.kind === 'all' && condition.of.every(asksForAll);

const fieldIn =
  ({ byName }: EntryType): FieldOf =>
  (id) => {
    for (const field of byName.values()) if (field.id === id) return field;
    throw new Error(`A query names field ${id}, which its type does not have`);
  };

/** Entries `e` of the type that match; `more` narrows them further. */
const matching = ({ type, condition, asked }: Wanted, more: Sql = sql`true`): Sql => sql`from entry e
  where e.site_id = ${asked.siteId} and e.type_id = ${type.id}
    and ${conditionSql(condition, fieldIn(type), asked)} and ${more}`;

/** How many entries match. Where nothing is asked for but a part of a text, the texts are counted without their entries. */
export async function countMatches(db: Db, wanted: Wanted): Promise<number> {
  const { type, condition, asked } = wanted;
  const texts = textsWith(condition, fieldIn(type), asked);
  const { rows } = await sql<{ n: number }>`${
    asksForAll(condition)
      ? sql`select coalesce(sum(n), 0)::int as n from list_block
          where site_id = ${asked.siteId} and list = ${ENTRIES_BY_TYPE} and part = ${type.id}`
      : texts
        ? sql`select count(*)::int as n from (${texts}) as texts`
        : sql`select count(*)::int as n ${matching(wanted)}`
  }`.execute(db);
  return rows[0]?.n ?? 0;
}

/** A window of matching entries `e`: what they are ordered by, which they are, and how many are left out before it. */
interface Part {
  key: Sql;
  of: Sql;
  skip: number;
}

/** `behind` stands for the rows that are skipped; `empty`: those without a value to order them by. */
function partOf(wanted: Wanted, window: Window, behind: Position | undefined, empty: boolean): Part {
  const { order, asked } = wanted;
  const { limit } = window;
  const skip = behind ? 0 : window.skip;
  if (!order || empty) {
    const none = order ? sql`(${orderSql(order, asked.siteId)} is null)` : sql`true`;
    const after = behind ? sql`e.entry_id > ${behind.entryId}` : sql`true`;
    const of = sql`${matching(wanted, sql`${none} and ${after}`)} order by e.entry_id limit ${limit}`;
    return { key: sql`null`, of, skip };
  }
  const key = orderSql(order, asked.siteId);
  const direction = order.descending ? sql`desc` : sql`asc`;
  const type = ordersText(order) ? sql`::text` : sql`::float8`;
  const after = behind
    ? sql`(${key}, e.entry_id) ${order.descending ? sql`<` : sql`>`} (${behind.key}${type}, ${behind.entryId}::int)`
    : sql`true`;
  const of = sql`${matching(wanted, sql`${key} is not null and ${after}`)}
    order by ${key} ${direction}, e.entry_id ${direction} limit ${limit}`;
  return { key, of, skip };
}

/** Without a condition or an order the blocks of the list tell where any page begins (docs/decisions/0010). */
const plainIds = ({ type, asked: { siteId } }: Wanted, { limit, skip }: Window): Sql =>
  sql`select id as entry_id, null as key from (${listPage(
    { siteId, list: ENTRIES_BY_TYPE, parts: [type.id] },
    { offset: skip, limit },
    (firstId, most) => sql`select entry_id as id from entry where site_id = ${siteId} and type_id = ${type.id}
      and entry_id >= ${firstId} order by entry_id limit ${most}`,
  )}) as page`;

/** Rows of these ids as JSON texts, in their order. */
async function rowsOf(db: Db, ids: Sql, siteId: number, row: Sql): Promise<Row[]> {
  const built = sql`select e.entry_id as "entryId", page.key, ${row} as row, page.at
    from page join entry e on e.site_id = ${siteId} and e.entry_id = page.entry_id`;
  const { rows } = await sql<Row>`
    with page as materialized (select entry_id, key, row_number() over () as at from (${ids}) as ids)
    ${upToBound(built)} order by at`.execute(db);
  requireBound(rows, 'limit');
  return rows;
}

/** Of rows that are skipped the ids alone are read; where none are, each row is looked up once. */
async function rowsIn(db: Db, { key, of, skip }: Part, siteId: number, row: Sql): Promise<Row[]> {
  if (skip > 0) return rowsOf(db, sql`select e.entry_id, ${key} as key ${of} offset ${skip}`, siteId, row);
  const built = sql`select *, row_number() over () as at from (
    select e.entry_id as "entryId", ${key} as key, ${row} as row ${of}) as rows`;
  const { rows } = await sql<Row>`${upToBound(built)} order by at`.execute(db);
  requireBound(rows, 'limit');
  return rows;
}

/** Entries without a value stand last in every order. How many have one is counted only when a page reaches beyond. */
async function orderedRows(
  db: Db,
  wanted: Wanted & { order: Order },
  window: Window,
  behind: Position | undefined,
  row: Sql,
): Promise<Row[]> {
  const { siteId } = wanted.asked;
  const inEmpty = behind !== undefined && behind.key === null;
  const first = inEmpty ? [] : await rowsIn(db, partOf(wanted, window, behind, false), siteId, row);
  const limit = window.limit - first.length;
  if (limit === 0) return first;
  const skip = behind || first.length > 0 ? 0 : await skippedOfEmpty(db, wanted, window.skip);
  const part = partOf(wanted, { limit, skip }, inEmpty ? behind : undefined, true);
  const rest = await rowsIn(db, part, siteId, row);
  return [...first, ...rest];
}

async function skippedOfEmpty(db: Db, wanted: Wanted & { order: Order }, skip: number): Promise<number> {
  if (skip === 0) return 0;
  const column = orderSql(wanted.order, wanted.asked.siteId);
  const { rows } = await sql<{
    n: number;
  }>`select count(*)::int as n ${matching(wanted, sql`${column} is not null`)}`.execute(db);
  return Math.max(0, skip - (rows[0]?.n ?? 0));
}

/** When the type last changed; undefined within the millisecond in which another change may still follow. */
async function lastChange(db: Db, { type, asked }: Wanted): Promise<string | undefined> {
  const { rows } = await sql<{ at: string | null; settled: boolean }>`
    select max(any_at)::text as at, max(any_at) < clock_timestamp() - interval '1 second' as settled from entry_change
    where site_id = ${asked.siteId} and type_id = ${type.id}`.execute(db);
  return rows[0]?.settled ? (rows[0].at ?? undefined) : undefined;
}

/** A window of the rows that match, as JSON texts (shapes 4, row result). */
export async function readRows(
  db: Db,
  wanted: Wanted,
  window: Window,
  fields: readonly SchemaField[],
  rendering: Rendering,
): Promise<string[]> {
  const { order, asked, condition, type } = wanted;
  const row = rowJson(fields, rendering);
  if (!order && asksForAll(condition)) {
    const page =
      window.skip > 0
        ? await rowsOf(db, plainIds(wanted, window), asked.siteId, row)
        : await rowsIn(db, partOf(wanted, window, undefined, false), asked.siteId, row);
    return page.map((each) => each.row);
  }
  const changed = order && !isOwnOrder(order) ? undefined : await lastChange(db, wanted);
  const query = [asked.siteId, type.id, changed, condition, asked.meaning, order && orderKey(order)];
  const behind =
    changed !== undefined && window.skip > 0 ? positionAt(placeOf(query, window.skip)) : undefined;
  const page = order
    ? await orderedRows(db, { ...wanted, order }, window, behind, row)
    : await rowsIn(db, partOf(wanted, window, behind, false), asked.siteId, row);
  const last = page.at(-1);
  if (last && changed !== undefined && page.length === window.limit)
    rememberPosition(placeOf(query, window.skip + page.length), { entryId: last.entryId, key: last.key });
  return page.map((each) => each.row);
}

const IDS_AT_ONCE = 50_000;

/** The ids of all entries that match, in order, some at a time. */
export async function* matchingIds(db: Db, wanted: Wanted): AsyncGenerator<number[]> {
  let last = 0;
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- each piece begins where the one before it ended
    const { rows } = await sql<{
      entry_id: number;
    }>`select e.entry_id ${matching(wanted, sql`e.entry_id > ${last}`)}
      order by e.entry_id limit ${IDS_AT_ONCE}`.execute(db);
    if (rows.length > 0) yield rows.map((row) => row.entry_id);
    if (rows.length < IDS_AT_ONCE) return;
    last = rows.at(-1)?.entry_id ?? last;
  }
}

const NAMES_AT_ONCE = 10_000;

/** All entries of a type as NamedEntryVm, each a JSON text, some at a time. */
export async function* namedEntries(db: Db, siteId: number, type: EntryType): AsyncGenerator<string[]> {
  let last = 0;
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- each piece begins where the one before it ended
    const { rows } = await sql<{ id: number; item: string }>`
      select e.entry_id as id, json_build_object('id', e.entry_id, 'name', e.name, 'entryListId', e.type_id)::text as item
      from entry e where e.site_id = ${siteId} and e.type_id = ${type.id} and e.entry_id > ${last}
      order by e.entry_id limit ${NAMES_AT_ONCE}`.execute(db);
    if (rows.length > 0) yield rows.map((row) => row.item);
    if (rows.length < NAMES_AT_ONCE) return;
    last = rows.at(-1)?.id ?? last;
  }
}
