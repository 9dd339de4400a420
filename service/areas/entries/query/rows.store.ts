import { type RawBuilder, sql } from 'kysely';
import { ENTRY_ID } from '../../../../contract/rules/query/condition.ts';
import { createCache } from '../../../kernel/cache.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { executeReplanned } from '../../../kernel/db/driver/prepared.ts';
import { buildListPage, ENTRIES_BY_TYPE } from '../../../kernel/db/list-page.ts';
import { type DataDependency, isUnchangedSql } from '../../../kernel/db/type-versions.ts';
import type { Call } from '../../../kernel/http/handler.ts';
import type { EntryType, SchemaField } from '../../schema/index.ts';
import { readCachedRows, usesIdList } from './cached-rows.store.ts';
import {
  ENTRY,
  getDependency,
  getSortNames,
  isSortIndexed,
  keysetSql,
  type RowPosition,
  sortKeySql,
} from './field-sql.store.ts';
import { countSql, matchingSql, searchOnlySql } from './matching.store.ts';
import { type Page, type PageEnd, readPage, rowsByIdsSql } from './page.store.ts';
import {
  createFieldLookup,
  getQueryKey,
  matchesAll,
  type ResolvedQuery,
  type RowWindow,
  type Sort,
} from './resolve-query.ts';
import { type Rendering, rowJsonSql } from './row-json.store.ts';
import { joinRows } from './row-text.ts';

type Sql = RawBuilder<unknown>;

/** A window of rows as the response contains them. */
export type Rows = Pick<Page, 'count' | 'text' | 'total' | 'stamp'>;

/** Time between two consecutive pages of a list that a client reads. */
const PAGE_END_TTL_MS = 60_000;

/** Ends of pages by query and row number, so that the next page starts after its predecessor instead of skipping rows. */
const pageEnds = createCache<PageEnd>({ maxEntries: 2_000, ttlMs: PAGE_END_TTL_MS });

/** A window of the rows that match, as JSON text (shapes 4, row result). */
export async function readRows(
  call: Pick<Call, 'db' | 'readDb' | 'signal'>,
  query: ResolvedQuery,
  window: RowWindow,
  fields: readonly SchemaField[],
  rendering: Rendering,
): Promise<Rows> {
  const { sort, condition } = query;
  const { limit, skip } = window;
  const { readDb: db } = call;
  const row = rowJsonSql(fields, rendering);
  if (!sort && matchesAll(condition)) return readUnfilteredRows(db, query, window, row);
  const cached = usesIdList(query) ? await readCachedRows(call, query, window, row) : undefined;
  if (cached) return cached;
  // Names of users have no version, so ends of pages sorted by them are not cached.
  const endDependency = sort && getSortNames(sort) === 'users' ? undefined : getDependency(query);
  const queryKey = getQueryKey(query);
  const previousEnd = endDependency && skip > 0 ? pageEnds.get(`${queryKey}/${skip}`) : undefined;
  const isCurrent = endDependency && previousEnd && isUnchangedSql(endDependency, previousEnd.version);
  const nextPage =
    previousEnd &&
    (await readMatchingPage(query, window, previousEnd, { db, row, endDependency, isCurrent }));
  const page = nextPage?.isCurrent
    ? nextPage
    : await readMatchingPage(query, window, undefined, { db, row, endDependency, isCurrent: undefined });
  if (page.end && page.count === limit) pageEnds.set(`${queryKey}/${skip + limit}`, page.end);
  return page;
}

function readUnfilteredRows(db: Db, query: ResolvedQuery, window: RowWindow, row: Sql): Promise<Page> {
  const { siteId } = query.context;
  const { limit } = window;
  const isFirst = window.skip === 0;
  const rows = isFirst
    ? firstRowsSql(query, limit, row)
    : rowsByIdsSql(listIdsSql(query, window), siteId, row);
  return readPage(db, { siteId, rows, limit, total: countSql(query), hasOnePlan: isFirst });
}

/**
 * The first rows of a type. Its order begins with the type, so that only the index of entries by type has it: a plan that
 * does not know the type would look for the entries of a small type among all entries of the site. The type is in the text, as its
 * fields are: PostgreSQL would plan a range by parameters for their values each time, which takes longer than the rows.
 */
function firstRowsSql({ type, context: { siteId } }: ResolvedQuery, limit: number, row: Sql): Sql {
  const typeId = sql.lit(type.id);
  return sql`select ${ENTRY}.entry_id as "entryId", null as key, ${row} as row from entry ${ENTRY}
    where ${ENTRY}.site_id = ${siteId} and ${ENTRY}.type_id between ${typeId} and ${typeId}
    order by ${ENTRY}.type_id, ${ENTRY}.entry_id limit ${sql.lit(limit)}`;
}

/** Ids of a window of all entries of a type; blocks of the list tell where any window begins (docs/decisions/0010). */
export const listIdsSql = ({ type, context: { siteId } }: ResolvedQuery, { limit, skip }: RowWindow): Sql =>
  sql`select id as entry_id, null as key from (${buildListPage(
    { siteId, list: ENTRIES_BY_TYPE, parts: [type.id] },
    { offset: skip, limit },
    (
      firstId,
      maxCount,
    ) => sql`select entry_id as id from entry where site_id = ${siteId} and type_id = ${type.id}
      and entry_id >= ${firstId} order by entry_id limit ${maxCount}`,
  )}) as page`;

/** How the pages of one request are read. */
interface PageOptions {
  db: Db;
  row: Sql;
  endDependency: DataDependency | undefined;
  isCurrent: Sql | undefined;
}

/** Reads a page of matching rows; `after`: the position of the row before it, when known. */
function readMatchingPage(
  query: ResolvedQuery,
  window: RowWindow,
  after: RowPosition | undefined,
  options: PageOptions,
): Promise<Page> {
  const { type, condition, sort, context } = query;
  if (sort) return readSortedPage({ ...query, sort }, window, after, options);
  const searchSql = searchOnlySql(condition, createFieldLookup(type), context);
  return searchSql
    ? readSearchPage(searchSql, window, after, context.siteId, options)
    : readSegment(query, window.limit, buildSegment(query, window, after, false), options);
}

/** Entries with a part of a text as the only condition: the search runs once, for the page and the total. */
const readSearchPage = (
  searchSql: Sql,
  { limit, skip }: RowWindow,
  after: RowPosition | undefined,
  siteId: number,
  { db, row, endDependency, isCurrent }: PageOptions,
): Promise<Page> =>
  readPage(db, {
    siteId,
    from: sql`found as materialized (${searchSql})`,
    rows: sql`select ${ENTRY}.entry_id as "entryId", null as key, ${row} as row
      from (select entry_id from found where entry_id > ${after?.entryId ?? 0}
        order by entry_id limit ${limit} offset ${after ? 0 : skip}) as ids
      join entry ${ENTRY} on ${ENTRY}.site_id = ${siteId} and ${ENTRY}.entry_id = ids.entry_id order by ${ENTRY}.entry_id`,
    limit,
    total: sql`select count(*)::int from found`,
    endDependency,
    isCurrent,
  });

/** Entries without a value come last in every order. Entries with one are counted only when a page reaches beyond them. */
async function readSortedPage(
  query: ResolvedQuery & { sort: Sort },
  window: RowWindow,
  after: RowPosition | undefined,
  options: PageOptions,
): Promise<Page> {
  const startsInEmpty = after !== undefined && after.key === null;
  const withValues = startsInEmpty
    ? undefined
    : await readSegment(query, window.limit, buildSegment(query, window, after, false), options);
  if (withValues?.count === window.limit) return withValues;
  const count = withValues?.count ?? 0;
  const limit = window.limit - count;
  const skip = after || count > 0 ? 0 : await countSkippedEmpty(options.db, query, window.skip);
  const segment = buildSegment(query, { limit, skip }, startsInEmpty ? after : undefined, true);
  const empty = await readSegment(query, limit, segment, options);
  return {
    ...empty,
    count: count + empty.count,
    text: joinRows([withValues?.text ?? '', empty.text]),
    isCurrent: empty.isCurrent && (withValues?.isCurrent ?? true),
    end: empty.end ?? withValues?.end,
  };
}

/** How many entries without a value are skipped by a window that begins behind all entries with one. */
async function countSkippedEmpty(
  db: Db,
  query: ResolvedQuery & { sort: Sort },
  skip: number,
): Promise<number> {
  if (skip === 0) return 0;
  const key = sortKeySql(query.sort, query.context.siteId);
  const { rows } = await executeReplanned(
    sql<{
      n: number;
    }>`select count(*)::int as n ${matchingSql(query, sql`${key} is not null`)}`,
    db,
  );
  return Math.max(0, skip - (rows[0]?.n ?? 0));
}

/** A window of the matching entries with a sort key, or of those without one. */
interface Segment {
  key: Sql;
  /** `from` up to `limit` of the statement. */
  source: Sql;
  skip: number;
  /** Whether an index of the type leads directly to the first entry, with no others in between. */
  hasOnePlan?: boolean;
}

function buildSegment(
  query: ResolvedQuery,
  window: RowWindow,
  after: RowPosition | undefined,
  isWithoutKey: boolean,
): Segment {
  const { sort, context } = query;
  const { limit } = window;
  const skip = after ? 0 : window.skip;
  if (!sort || isWithoutKey) {
    const hasNoKey = sort ? sql`(${sortKeySql(sort, context.siteId)} is null)` : sql`true`;
    const isAfter = after ? sql`${ENTRY}.entry_id > ${after.entryId}` : sql`true`;
    const source = sql`${matchingSql(query, sql`${hasNoKey} and ${isAfter}`)} order by ${ENTRY}.entry_id limit ${limit}`;
    return { key: sql`null`, source, skip };
  }
  const key = sortKeySql(sort, context.siteId);
  const direction = sort.descending ? sql`desc` : sql`asc`;
  const isAfter = after ? keysetSql(sort, context.siteId, after, 'after') : sql`true`;
  const source = sql`${matchingSql(query, sql`${key} is not null and ${isAfter}`)}
    order by ${key} ${direction}, ${ENTRY}.entry_id ${direction} limit ${sql.lit(limit)}`;
  // For ids the planner could also choose the index of the whole site.
  const hasOnePlan =
    skip === 0 && sort.field !== ENTRY_ID && isSortIndexed(sort) && matchesAll(query.condition);
  return { key, source, skip, hasOnePlan };
}

const readSegment = (
  query: ResolvedQuery,
  limit: number,
  segment: Segment,
  { db, row, endDependency, isCurrent }: PageOptions,
): Promise<Page> =>
  readPage(db, {
    siteId: query.context.siteId,
    rows: segmentRowsSql(segment, query.context.siteId, row),
    limit,
    total: countSql(query),
    endDependency,
    isCurrent,
    hasOnePlan: segment.hasOnePlan ?? false,
  });

/** Only the ids of skipped rows are read; without skipped rows each row is looked up once. */
const segmentRowsSql = ({ key, source, skip }: Segment, siteId: number, row: Sql): Sql =>
  skip > 0
    ? rowsByIdsSql(sql`select ${ENTRY}.entry_id, ${key} as key ${source} offset ${skip}`, siteId, row)
    : sql`select ${ENTRY}.entry_id as "entryId", ${key} as key, ${row} as row ${source}`;

const ID_BATCH_SIZE = 50_000;

/** The ids of all matching entries in ascending order, in batches. */
export async function* streamMatchingIds(db: Db, query: ResolvedQuery): AsyncGenerator<number[]> {
  let lastId = 0;
  for (;;) {
    // Each batch begins where the one before it ended.
    const { rows } = await executeReplanned(
      sql<{
        entry_id: number;
      }>`select ${ENTRY}.entry_id ${matchingSql(query, sql`${ENTRY}.entry_id > ${lastId}`)}
      order by ${ENTRY}.entry_id limit ${ID_BATCH_SIZE}`,
      db,
    );
    if (rows.length > 0) yield rows.map((row) => row.entry_id);
    if (rows.length < ID_BATCH_SIZE) return;
    lastId = rows.at(-1)?.entry_id ?? lastId;
  }
}

const NAME_BATCH_SIZE = 10_000;

/** All entries of a type as JSON texts of NamedEntryVm, in batches. */
export async function* streamNamedEntries(db: Db, siteId: number, type: EntryType): AsyncGenerator<string[]> {
  let lastId = 0;
  for (;;) {
    // Each batch begins where the one before it ended.
    const { rows } = await executeReplanned(
      sql<{ id: number; item: string }>`
      select entry_id as id, json_build_object('id', entry_id, 'name', name, 'entryListId', type_id)::text as item
      from entry where site_id = ${siteId} and type_id = ${type.id} and entry_id > ${lastId}
      order by entry_id limit ${NAME_BATCH_SIZE}`,
      db,
    );
    if (rows.length > 0) yield rows.map((row) => row.item);
    if (rows.length < NAME_BATCH_SIZE) return;
    lastId = rows.at(-1)?.id ?? lastId;
  }
}
