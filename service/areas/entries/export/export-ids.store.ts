/** Ids of the entries of an export in their order, and the moment of a snapshot. */
import { sql } from 'kysely';
import type { Tx } from '../../../kernel/db/database.ts';
import { ENTRY, sortKeySql } from '../query/field-sql.store.ts';
import { type SortedIds, unpackIds } from '../query/id-list.ts';
import { matchingSql } from '../query/matching.store.ts';
import type { ResolvedQuery } from '../query/resolve-query.ts';

/** Ids with their order; entries without a sort key come last, by id (rows.store.ts). */
function orderedIdsSql(query: ResolvedQuery) {
  const { sort, context } = query;
  if (!sort)
    return {
      rows: sql`select ${ENTRY}.entry_id, null as key ${matchingSql(query)}`,
      order: sql`entry_id`,
    };
  const [by, tie] = sort.descending ? [sql`key desc`, sql`-entry_id`] : [sql`key`, sql`entry_id`];
  return {
    rows: sql`select ${ENTRY}.entry_id, ${sortKeySql(sort, context.siteId)} as key ${matchingSql(query)}`,
    order: sql`key is null, ${by}, case when key is null then entry_id else ${tie} end`,
  };
}

/** All ids at once, four bytes each. */
export async function readIds(tx: Tx, query: ResolvedQuery): Promise<SortedIds> {
  const { rows, order } = orderedIdsSql(query);
  const found = await sql<{ ids: Uint8Array | null }>`
    select string_agg(int4send(entry_id), '' order by ${order}) as ids from (${rows}) as found`.execute(tx);
  return unpackIds(found.rows[0]?.ids ?? null);
}

/** Ids of a portion. */
const PORTION_IDS = 10_000;

/**
 * The ids in portions, from a cursor of the transaction. The database packs them, because a million rows of one number take the main
 * thread a second, and much memory until they are collected.
 */
export async function* streamIds(tx: Tx, query: ResolvedQuery): AsyncGenerator<SortedIds> {
  const { rows, order } = orderedIdsSql(query);
  const portion = sql`(position - 1) / ${sql.lit(PORTION_IDS)}`;
  await sql`declare export_ids no scroll cursor for
    select string_agg(int4send(entry_id), '' order by position) as ids
    from (select entry_id, row_number() over (order by ${order}) as position from (${rows}) as found) as numbered
    group by ${portion} order by ${portion}`.execute(tx);
  for (;;) {
    const ids = await fetchIds(tx);
    if (!ids) return;
    yield ids;
  }
}

async function fetchIds(tx: Tx): Promise<SortedIds | undefined> {
  const { rows } = await sql<{ ids: Uint8Array }>`fetch 1 from export_ids`.execute(tx);
  return rows[0] && unpackIds(rows[0].ids);
}

/** Time of the snapshot of a transaction. */
export async function readMoment(tx: Tx): Promise<Date> {
  const { rows } = await sql<{ at: Date }>`select now()::timestamptz(3) as at`.execute(tx);
  return rows[0]?.at ?? new Date();
}

/**
 * A time after all changes that were committed before, and before all later ones. Only where transactions run one after another:
 * changes have the time of their write in milliseconds, rounded, so the transaction lasts longer than two of them.
 */
export async function readSeparatingTime(tx: Tx): Promise<Date> {
  const { rows } = await sql<{ at: Date }>`
    select date_trunc('milliseconds', clock_timestamp()) + interval '1 millisecond' as at, pg_sleep(0.003)`.execute(
    tx,
  );
  const [row] = rows;
  if (!row) throw new Error('The database returned no timestamp');
  return row.at;
}
