import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../kernel/db/database.ts';
import { onePlan } from '../../../kernel/db/prepared.ts';
import { MOST_BYTES, requireBound, requireSize, upToBound } from './bounds.store.ts';
import { type Mark, markSql } from '../cache/marks.store.ts';
import type { Position } from '../cache/positions.ts';
import { BETWEEN_ROWS, joinRows } from './rows-text.ts';

type Sql = RawBuilder<unknown>;

/** What a page is made of, as parts of one statement: all that it tells is of one moment. */
interface Parts {
  siteId: number;
  /** Rows in their order: `"entryId"`, `key` of what they are ordered by, `row` as JSON text. */
  rows: Sql;
  /** What `rows` and `total` read from, as common table expressions. */
  from?: Sql | undefined;
  limit: number;
  /** Counts all rows; asked for only where the page is full. */
  total?: Sql;
  /** Whether the place of the last row is asked for: the next page begins behind it. */
  asksForEnd?: boolean;
  /** Whether what the page goes by is still so, where it goes by anything that was read before. */
  holds?: Sql | undefined;
  /** Whether one plan is good for whatever is asked. */
  hasOnePlan?: boolean;
}

export interface Page {
  count: number;
  /** The rows of the answer, without its brackets: the event loop passes on one text, however many there are. */
  text: string;
  /** The stamp of the schema that the site has at this moment. */
  stamp: string;
  /** Undefined: the page is not full, or no total was asked for. */
  total: number | undefined;
  /** False: what the page went by is no longer so, and its rows are others than those asked for. */
  holds: boolean;
  /** The last row. */
  end: (Position & { mark: Mark }) | undefined;
}

interface PageRow {
  count: number;
  bytes: number;
  /** Whether a row is missing in the text, too large to be put into it unseen. */
  isPart: boolean | null;
  text: string | null;
  stamp: string;
  total: number | null;
  holds: boolean;
  mark: Mark | null;
  entryId: number | null;
  key: Position['key'];
}

/** Rows up to this share of the bound are put together before their sum is known; larger ones are rare. */
const largeFor = (limit: number): number => Math.ceil((4 * MOST_BYTES) / limit);

/** Rows of these ids (`entry_id`, `key`), in their order. */
export const rowsOf = (ids: Sql, siteId: number, row: Sql): Sql => sql`
  with ids as materialized (select entry_id, key, row_number() over () as at from (${ids}) as ids)
  select e.entry_id as "entryId", ids.key, ${row} as row
  from ids join entry e on e.site_id = ${siteId} and e.entry_id = ids.entry_id order by ids.at`;

/** @throws ApiError 400 when the rows are too large for an answer */
export async function readPage(db: Db, parts: Parts): Promise<Page> {
  const { siteId, rows, from, limit, total, asksForEnd, holds, hasOnePlan } = parts;
  const size = sql`octet_length("row")`;
  const isSmall = sql`${size} <= ${largeFor(limit)}`;
  const read = await sql<PageRow>`${hasOnePlan ? onePlan : sql``} ${from ? sql`with ${from}` : sql``}
    select count(*)::int as count, coalesce(sum(${size}), 0) as bytes, bool_or(not ${isSmall}) as "isPart",
      case when sum(${size}) <= ${MOST_BYTES} then string_agg("row", ${BETWEEN_ROWS}) filter (where ${isSmall}) end as text,
      (select schema_stamp from site where site_id = ${siteId}) as stamp,
      ${total ? sql`case when count(*) = ${limit} then (${total}) end` : sql`null::int`} as total,
      ${
        asksForEnd
          ? sql`${markSql(siteId)} as mark, (array_agg("entryId"))[count(*)::int] as "entryId", (array_agg(key))[count(*)::int] as key`
          : sql`null::bigint as mark, null::int as "entryId", null as key`
      }, ${holds ?? sql`true`} as holds
    from (${rows}) as page`.execute(db);
  const [page] = read.rows;
  if (!page) throw new Error('A page is one row');
  requireSize(page.bytes, 'limit');
  return {
    count: page.count,
    text: page.isPart ? await largeText(db, parts) : (page.text ?? ''),
    stamp: page.stamp,
    total: page.total ?? undefined,
    holds: page.holds,
    end:
      page.entryId === null || page.mark === null
        ? undefined
        : { entryId: page.entryId, key: page.key, mark: page.mark },
  };
}

/** The rows of a page with very large ones: the database sums them up before it gives any. */
async function largeText(db: Db, { rows, from }: Parts): Promise<string> {
  const numbered = sql`select *, row_number() over () as at from (${rows}) as rows`;
  const read = await sql<{ row: string; bytes: number }>`${from ? sql`with ${from}` : sql``}
    ${upToBound(numbered)} order by at`.execute(db);
  requireBound(read.rows, 'limit');
  return joinRows(read.rows.map(({ row }) => row));
}
