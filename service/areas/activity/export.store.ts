/** Ids of the rows of an export of the activity report, newest first. */
import { sql } from 'kysely';
import type { Tx } from '../../kernel/db/database.ts';
import type { ActivityFilter } from './filter.ts';
import { NEWEST_FIRST, selectMatchingRows } from './report.store.ts';

const FETCH_IDS = 10_000;

/** Streams the ids of all rows that match, from a cursor of the transaction. */
export async function* streamIds(tx: Tx, siteId: number, filter: ActivityFilter): AsyncGenerator<number[]> {
  const rows = await selectMatchingRows(tx, siteId, filter);
  await sql`declare export_activity no scroll cursor for select activity_id from ${rows} r ${NEWEST_FIRST}`.execute(
    tx,
  );
  for (;;) {
    const fetched = await sql<{
      activity_id: number;
    }>`fetch ${sql.lit(FETCH_IDS)} from export_activity`.execute(tx);
    if (fetched.rows.length > 0) yield fetched.rows.map(({ activity_id: id }) => id);
    if (fetched.rows.length < FETCH_IDS) return;
  }
}

const ID_BYTES = 8;

/** The ids of all rows that match, in one statement, eight bytes each. */
export async function readIds(tx: Tx, siteId: number, filter: ActivityFilter): Promise<number[]> {
  const matching = await selectMatchingRows(tx, siteId, filter);
  const { rows } = await sql<{ ids: Uint8Array | null }>`
    select string_agg(float8send(activity_id::float8), '' ${NEWEST_FIRST}) as ids from ${matching} r`.execute(
    tx,
  );
  const bytes = rows[0]?.ids ?? new Uint8Array();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: bytes.byteLength / ID_BYTES }, (_, index) => view.getFloat64(index * ID_BYTES));
}
