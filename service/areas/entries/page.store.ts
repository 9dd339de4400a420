import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../kernel/db/database.ts';
import { MOST_BYTES, requireSize } from './bounds.store.ts';
import type { Position } from './positions.ts';
import { BETWEEN_ROWS } from './rows-text.ts';

type Sql = RawBuilder<unknown>;

/** What a page is made of, as parts of one statement: all that it tells is of one moment. */
interface Parts {
  /** Rows in their order: `"entryId"`, `key` of what they are ordered by, `row` as JSON text. */
  rows: Sql;
  /** What `rows` and `total` read from, as common table expressions. */
  from?: Sql | undefined;
  limit: number;
  /** Counts all rows; asked for only where the page is full. */
  total?: Sql;
  /** When the type last changed, as text; null: perhaps just now. */
  changed?: Sql | undefined;
}

export interface Page {
  count: number;
  /** The rows of the answer, without its brackets: the event loop passes on one text, however many there are. */
  text: string;
  /** Undefined: the page is not full, or no total was asked for. */
  total: number | undefined;
  changed: string | undefined;
  /** The last row. */
  end: Position | undefined;
}

interface PageRow extends Position {
  count: number;
  bytes: number;
  text: string | null;
  total: number | null;
  changed: string | null;
}

/** @throws ApiError 400 when the rows are too large for an answer */
export async function readPage(db: Db, { rows, from, limit, total, changed }: Parts): Promise<Page> {
  const read = await sql<PageRow>`with ${from ? sql`${from},` : sql``} page as materialized (${rows}),
      size as (select count(*)::int as count, coalesce(sum(octet_length("row")), 0) as bytes from page)
    select count, bytes, "end"."entryId", "end".key,
      case when bytes <= ${MOST_BYTES} then (select string_agg("row", ${BETWEEN_ROWS}) from page) end as text,
      ${total ? sql`case when count = ${limit} then (${total}) end` : sql`null::int`} as total,
      ${changed ? sql`(${changed})` : sql`null`} as changed
    from size left join lateral (select "entryId", key from page offset greatest(count - 1, 0) limit 1) as "end" on true`.execute(
    db,
  );
  const [page] = read.rows;
  if (!page) throw new Error('A page is one row');
  requireSize(page.bytes, 'limit');
  return {
    count: page.count,
    text: page.text ?? '',
    total: page.total ?? undefined,
    changed: page.changed ?? undefined,
    end: page.count > 0 ? { entryId: page.entryId, key: page.key } : undefined,
  };
}
