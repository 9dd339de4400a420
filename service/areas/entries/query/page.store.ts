/** Reads one page of rows as a single text that the database writes, within the size limit of a response. */
import { type RawBuilder, sql } from 'kysely';
import { badRequest } from '../../../kernel/api-error.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { executeReplanned } from '../../../kernel/db/driver/prepared.ts';
import { type DataDependency, type DataVersion, versionSql } from '../../../kernel/db/type-versions.ts';
import { ENTRY, type RowPosition } from './field-sql.store.ts';
import { joinRows, ROW_SEPARATOR } from './row-text.ts';

type Sql = RawBuilder<unknown>;

/** Limit of the rows of a response, which the service holds in memory completely (T16). */
const MAX_RESPONSE_BYTES = 32 * 1024 * 1024;
/** In the text of statements, so that they can be prepared. */
const MAX_BYTES = sql.lit(MAX_RESPONSE_BYTES);

/**
 * The rows of `rowsSql` (columns `at` for their order, `row` with their text) up to the first one beyond the limit, with
 * the bytes up to each. The database computes further rows, but does not send them.
 */
export const limitResponseSql = (rowsSql: Sql): Sql => sql`select * from (
    select *, sum(octet_length("row")) over (order by "at" rows unbounded preceding) as bytes from (${rowsSql}) as built
  ) as bounded where bytes - octet_length("row") <= ${MAX_BYTES}`;

/** @throws ApiError 400 when rows of `limitResponseSql` exceed the limit; `path` names the property to reduce */
export const requireRowsFit = (rows: readonly { bytes: number }[], path: string): void =>
  requireSizeFits(rows.at(-1)?.bytes ?? 0, path);

function requireSizeFits(bytes: number, path: string): void {
  if (bytes > MAX_RESPONSE_BYTES)
    throw badRequest([
      {
        path,
        message: `leads to a response of more than ${MAX_RESPONSE_BYTES / 1024 / 1024} MiB: request less at once`,
      },
    ]);
}

/** A page as parts of one statement, so that all of its results are from one snapshot. */
interface PageStatement {
  siteId: number;
  /** The rows in their order: `"entryId"`, the sort key `key`, the JSON text `row`. */
  rows: Sql;
  /** Common table expressions that `rows` and `total` read from. */
  from?: Sql | undefined;
  limit: number;
  /** Counts all rows; runs only when the page is full. */
  total?: Sql;
  /** What the position of the last row depends on; undefined: the position is not read. */
  endDependency?: DataDependency | undefined;
  /** Whether the cached data that the page is based on is current. */
  isCurrent?: Sql | undefined;
  /** Whether one plan is good for all parameters (kernel/db/prepared.ts). */
  hasOnePlan?: boolean;
}

/** Position of the last row of a page, valid as long as its dependency has this version. */
export interface PageEnd extends RowPosition {
  version: DataVersion;
}

export interface Page {
  count: number;
  /** The rows of the response without brackets. */
  text: string;
  /** Stamp of the schema in the snapshot of the page. */
  stamp: string;
  /** Undefined when the page is not full or no total was requested. */
  total: number | undefined;
  /** False: the page is based on outdated cached data, its rows must be discarded. */
  isCurrent: boolean;
  end: PageEnd | undefined;
}

interface PageRow {
  count: number;
  bytes: number;
  /** Whether the text lacks rows that are too large to be joined before the total size is known. */
  isIncomplete: boolean | null;
  text: string | null;
  stamp: string;
  total: number | null;
  isCurrent: boolean;
  version: DataVersion | null;
  entryId: number | null;
  key: RowPosition['key'];
}

/** Bytes up to which rows are joined before their total size is known; larger rows are rare. */
const getLargeRowBytes = (limit: number): number => Math.ceil((4 * MAX_RESPONSE_BYTES) / limit);

/** The rows of entries by `idsSql` (columns `entry_id`, `key`), in its order. */
export const rowsByIdsSql = (idsSql: Sql, siteId: number, row: Sql): Sql => sql`
  with ids as materialized (select entry_id, key, row_number() over () as at from (${idsSql}) as ids)
  select ${ENTRY}.entry_id as "entryId", ids.key, ${row} as row
  from ids join entry ${ENTRY} on ${ENTRY}.site_id = ${siteId} and ${ENTRY}.entry_id = ids.entry_id order by ids.at`;

/** @throws ApiError 400 when the rows exceed the limit of a response */
export async function readPage(db: Db, statement: PageStatement): Promise<Page> {
  const { siteId, rows, from, limit, total, endDependency, isCurrent, hasOnePlan } = statement;
  const size = sql`octet_length("row")`;
  const isSmall = sql`${size} <= ${sql.lit(getLargeRowBytes(limit))}`;
  const query = sql<PageRow>`${from ? sql`with ${from}` : sql``}
    select count(*)::int as count, coalesce(sum(${size}), 0) as bytes, bool_or(not ${isSmall}) as "isIncomplete",
      case when sum(${size}) <= ${MAX_BYTES} then string_agg("row", ${ROW_SEPARATOR}) filter (where ${isSmall}) end as text,
      (select stamp from schema_stamp where site_id = ${siteId}) as stamp,
      ${total ? sql`case when count(*) = ${limit} then (${total}) end` : sql`null::int`} as total,
      ${
        endDependency
          ? sql`${versionSql(endDependency)} as version, (array_agg("entryId"))[count(*)::int] as "entryId", (array_agg(key))[count(*)::int] as key`
          : sql`null::text as version, null::int as "entryId", null as key`
      }, ${isCurrent ?? sql`true`} as "isCurrent"
    from (${rows}) as page`;
  const read = await (hasOnePlan ? query.execute(db) : executeReplanned(query, db));
  const [page] = read.rows;
  if (!page) throw new Error('The statement of a page returns one row');
  requireSizeFits(page.bytes, 'limit');
  return {
    count: page.count,
    text: page.isIncomplete ? await readLargeRows(db, statement) : (page.text ?? ''),
    stamp: page.stamp,
    total: page.total ?? undefined,
    isCurrent: page.isCurrent,
    end:
      page.entryId === null || page.version === null
        ? undefined
        : { entryId: page.entryId, key: page.key, version: page.version },
  };
}

/** The rows of a page with very large ones: the database sums up their sizes before it sends any. */
async function readLargeRows(db: Db, { rows, from }: PageStatement): Promise<string> {
  const numberedRows = sql`select *, row_number() over () as at from (${rows}) as rows`;
  const read = await sql<{ row: string; bytes: number }>`${from ? sql`with ${from}` : sql``}
    ${limitResponseSql(numberedRows)} order by at`.execute(db);
  requireRowsFit(read.rows, 'limit');
  return joinRows(read.rows.map(({ row }) => row));
}
