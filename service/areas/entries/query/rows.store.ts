import { type RawBuilder, sql } from 'kysely';
import { ENTRY_ID } from '../../../../contract/rules/query/tree.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { ENTRIES_BY_TYPE, listPage } from '../../../kernel/db/list-page.ts';
import type { Call } from '../../../kernel/http/handler.ts';
import type { EntryType, SchemaField } from '../../schema/index.ts';
import { textsWith } from './conditions.store.ts';
import {
  asksForAll,
  fieldIn,
  keyOf,
  matching,
  totalSql,
  type Wanted,
  type Window,
} from './matching.store.ts';
import { sinceSql } from '../cache/marks.store.ts';
import { besideSql, followedBy, isIndexed, type Order, orderSql } from './order.store.ts';
import { isKept, keptRows } from '../cache/kept-rows.store.ts';
import { type Page, readPage, rowsOf } from './page.store.ts';
import { type Position, positionAt, rememberPosition } from '../cache/positions.ts';
import { type Rendering, rowJson } from './render.store.ts';
import { joinRows } from './rows-text.ts';

type Sql = RawBuilder<unknown>;

/** A window of rows as they stand in the answer. */
export type Rows = Pick<Page, 'count' | 'text' | 'total' | 'stamp'>;

/** A window of matching entries `e`: what they are ordered by, which they are, and how many are left out before it. */
interface Part {
  key: Sql;
  of: Sql;
  skip: number;
  /** An index of the type leads to the first of them, and there are no others in between. */
  hasOnePlan?: boolean;
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
  const after = behind ? besideSql(order, asked.siteId, behind, 'behind') : sql`true`;
  const of = sql`${matching(wanted, sql`${key} is not null and ${after}`)}
    order by ${key} ${direction}, e.entry_id ${direction} limit ${sql.lit(limit)}`;
  // Of ids as such there is an index for the whole site too.
  const hasOnePlan =
    skip === 0 && order.field !== ENTRY_ID && isIndexed(order) && asksForAll(wanted.condition);
  return { key, of, skip, hasOnePlan };
}

/** Without a condition or an order the blocks of the list tell where any page begins (docs/decisions/0010). */
export const plainIds = ({ type, asked: { siteId } }: Wanted, { limit, skip }: Window): Sql =>
  sql`select id as entry_id, null as key from (${listPage(
    { siteId, list: ENTRIES_BY_TYPE, parts: [type.id] },
    { offset: skip, limit },
    (firstId, most) => sql`select entry_id as id from entry where site_id = ${siteId} and type_id = ${type.id}
      and entry_id >= ${firstId} order by entry_id limit ${most}`,
  )}) as page`;

/** Of rows that are skipped the ids alone are read; where none are, each row is looked up once. */
const rowsFrom = ({ key, of, skip }: Part, siteId: number, row: Sql): Sql =>
  skip > 0
    ? rowsOf(sql`select e.entry_id, ${key} as key ${of} offset ${skip}`, siteId, row)
    : sql`select e.entry_id as "entryId", ${key} as key, ${row} as row ${of}`;

/**
 * The first rows of a type. The order names the type, so that the index of each type's entries is the only one that has
 * it: a plan that does not know the type would look for a small one among all entries of the site.
 */
const firstRows = ({ type, asked: { siteId } }: Wanted, limit: number, row: Sql): Sql =>
  sql`select e.entry_id as "entryId", null as key, ${row} as row from entry e
    where e.site_id = ${siteId} and e.type_id between ${type.id} and ${type.id}
    order by e.type_id, e.entry_id limit ${sql.lit(limit)}`;

/** What a page is read with besides its rows. */
interface Reading {
  db: Db;
  row: Sql;
  asksForEnd: boolean;
  holds: Sql | undefined;
}

/** Entries with a part of a text, which is all that is asked for: looked up once, for the page and for the total. */
const readFound = (
  texts: Sql,
  { limit, skip }: Window,
  behind: Position | undefined,
  siteId: number,
  { db, row, asksForEnd, holds }: Reading,
): Promise<Page> =>
  readPage(db, {
    siteId,
    from: sql`found as materialized (${texts})`,
    rows: sql`select e.entry_id as "entryId", null as key, ${row} as row
      from (select entry_id from found where entry_id > ${behind?.entryId ?? 0}
        order by entry_id limit ${limit} offset ${behind ? 0 : skip}) as ids
      join entry e on e.site_id = ${siteId} and e.entry_id = ids.entry_id order by e.entry_id`,
    limit,
    total: sql`select count(*)::int from found`,
    asksForEnd,
    holds,
  });

const readPart = (
  wanted: Wanted,
  limit: number,
  part: Part,
  { db, row, asksForEnd, holds }: Reading,
): Promise<Page> =>
  readPage(db, {
    siteId: wanted.asked.siteId,
    rows: rowsFrom(part, wanted.asked.siteId, row),
    limit,
    total: totalSql(wanted),
    asksForEnd,
    holds,
    hasOnePlan: part.hasOnePlan ?? false,
  });

/** Entries without a value stand last in every order. How many have one is counted only when a page reaches beyond. */
async function orderedRows(
  wanted: Wanted & { order: Order },
  window: Window,
  behind: Position | undefined,
  reading: Reading,
): Promise<Page> {
  const inEmpty = behind !== undefined && behind.key === null;
  const first = inEmpty
    ? undefined
    : await readPart(wanted, window.limit, partOf(wanted, window, behind, false), reading);
  if (first?.count === window.limit) return first;
  const had = first?.count ?? 0;
  const limit = window.limit - had;
  const skip = behind || had > 0 ? 0 : await skippedOfEmpty(reading.db, wanted, window.skip);
  const part = partOf(wanted, { limit, skip }, inEmpty ? behind : undefined, true);
  const rest = await readPart(wanted, limit, part, reading);
  return {
    ...rest,
    count: had + rest.count,
    text: joinRows([first?.text ?? '', rest.text]),
    holds: rest.holds && (first?.holds ?? true),
    end: rest.end ?? first?.end,
  };
}

async function skippedOfEmpty(db: Db, wanted: Wanted & { order: Order }, skip: number): Promise<number> {
  if (skip === 0) return 0;
  const column = orderSql(wanted.order, wanted.asked.siteId);
  const { rows } = await sql<{
    n: number;
  }>`select count(*)::int as n ${matching(wanted, sql`${column} is not null`)}`.execute(db);
  return Math.max(0, skip - (rows[0]?.n ?? 0));
}

function pageOf(
  wanted: Wanted,
  window: Window,
  behind: Position | undefined,
  reading: Reading,
): Promise<Page> {
  const { type, condition, order, asked } = wanted;
  if (order) return orderedRows({ ...wanted, order }, window, behind, reading);
  const texts = textsWith(condition, fieldIn(type), asked);
  return texts
    ? readFound(texts, window, behind, asked.siteId, reading)
    : readPart(wanted, window.limit, partOf(wanted, window, behind, false), reading);
}

/** A window of the rows that match, as JSON texts (shapes 4, row result). */
export async function readRows(
  call: Pick<Call, 'db' | 'reads' | 'gone'>,
  wanted: Wanted,
  window: Window,
  fields: readonly SchemaField[],
  rendering: Rendering,
): Promise<Rows> {
  const { order, asked, condition } = wanted;
  const { limit, skip } = window;
  const { reads: db } = call;
  const row = rowJson(fields, rendering);
  if (!order && asksForAll(condition)) {
    const isFirst = skip === 0;
    const rows = isFirst
      ? firstRows(wanted, limit, row)
      : rowsOf(plainIds(wanted, window), asked.siteId, row);
    return readPage(db, {
      siteId: asked.siteId,
      rows,
      limit,
      total: totalSql(wanted),
      hasOnePlan: isFirst,
    });
  }
  const kept = isKept(wanted) ? await keptRows(call, wanted, window, row) : undefined;
  if (kept) return kept;
  const asksForEnd = !order || followedBy(order) !== 'people';
  const list = keyOf(wanted);
  const behind = asksForEnd && skip > 0 ? positionAt(list, skip) : undefined;
  const holds = behind && sinceSql(wanted, behind.mark);
  const next = behind && (await pageOf(wanted, window, behind, { db, row, asksForEnd, holds }));
  const page = next?.holds
    ? next
    : await pageOf(wanted, window, undefined, { db, row, asksForEnd, holds: undefined });
  if (page.end && page.count === limit) rememberPosition(list, skip + limit, page.end);
  return page;
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
