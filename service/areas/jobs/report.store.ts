import { sql } from 'kysely';
import type { Db } from '../../kernel/db/database.ts';
import { ITEM_STATE_NAMES, type ItemState, type JobKey } from '../../kernel/jobs/jobs.store.ts';

/**
 * The moment of a report: every outcome with an earlier time is committed, because a batch holds the row of the job from before its first
 * outcome until its commit. Waits for the running batch.
 */
export const readReportTime = (db: Db, { siteId, jobId }: JobKey): Promise<Date> =>
  db.transaction().execute(async (tx) => {
    await sql`select from job where site_id = ${siteId} and job_id = ${jobId} for share`.execute(tx);
    // Times of outcomes are rounded to milliseconds, and a Date has no more.
    const { rows } = await sql<{
      at: Date;
    }>`select clock_timestamp() + interval '1 millisecond' as at`.execute(tx);
    const [row] = rows;
    if (!row) throw new Error('The database has no time');
    return row.at;
  });

/** Properties of the items of a job. */
export interface ItemProperties {
  input: string[];
  before: string[];
}

/** More columns make no readable table. */
const MAX_PROPERTIES = 100;

/** Names of all properties that the items of a job have, sorted; reads all items. */
export async function listItemProperties(db: Db, { siteId, jobId }: JobKey): Promise<ItemProperties> {
  const list = async (column: 'input' | 'before') => {
    const { rows } = await sql<{ name: string }>`
      select distinct json_object_keys(${sql.ref(column)}) as name from job_item
      where site_id = ${siteId} and job_id = ${jobId} and json_typeof(${sql.ref(column)}) = 'object'
      order by name limit ${MAX_PROPERTIES}`.execute(db);
    return rows.map(({ name }) => name);
  };
  return { input: await list('input'), before: await list('before') };
}

/** An item with its outcome at the moment of the report. */
export interface ReportItem {
  number: number;
  label: string | null;
  detail: string | null;
  state: ItemState;
  reason: string | null;
  endedDate: Date | null;
  input: Record<string, unknown>;
  before: Record<string, unknown> | null;
}

const ITEMS_PER_PAGE = 1_000;

/** All items of a job page by page in the order of their numbers, with the outcomes that they had at `at`. */
export async function* readReportItems(
  db: Db,
  { siteId, jobId }: JobKey,
  at: Date,
): AsyncGenerator<ReportItem[]> {
  let lastNumber = 0;
  for (;;) {
    const { rows } = await sql<Omit<ReportItem, 'state'> & { state: number }>`
      select item_no as number, label, detail, input, case when ended_at <= ${at} then state else 0 end as state,
        case when ended_at <= ${at} then reason end as reason, case when ended_at <= ${at} then before end as before,
        case when ended_at <= ${at} then ended_at end as "endedDate"
      from job_item where site_id = ${siteId} and job_id = ${jobId} and item_no > ${lastNumber}
      order by item_no limit ${ITEMS_PER_PAGE}`.execute(db);
    if (rows.length > 0) yield rows.map((row) => ({ ...row, state: ITEM_STATE_NAMES[row.state] ?? 'open' }));
    if (rows.length < ITEMS_PER_PAGE) return;
    lastNumber = rows.at(-1)?.number ?? Infinity;
  }
}
