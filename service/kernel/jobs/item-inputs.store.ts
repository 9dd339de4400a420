/** What items of jobs requested, for the removal of personal data. */
import { sql } from 'kysely';
import type { Tx } from '../db/database.ts';
import type { JobKey } from './jobs.store.ts';

/** An item of a job with what it requested and replaced. */
interface ItemInput extends JobKey {
  itemNo: number;
  input: object;
  /** Whether nothing needs the request any more: the item is done or changed nothing. */
  isDone: boolean;
}

/** SQL condition: a text of the request, in JSON with any notation of characters, is this one but for letter case. */
const hasText = (text: string) =>
  sql<boolean>`strpos(fold(i.input::jsonb::text), to_jsonb(${text.toLowerCase()}::text)::text) > 0`;

const isOfKind = (siteId: number, kind: string) =>
  sql<boolean>`i.site_id = ${siteId} and i.job_id in (select job_id from job where site_id = ${siteId} and kind = ${kind})`;

/** Items that are held in memory at once. */
const ITEMS_PER_PAGE = 10;

/** The items of all jobs of a kind whose request has a text. */
export async function* readItemsWithText(
  tx: Tx,
  { siteId, kind, text }: { siteId: number; kind: string; text: string },
): AsyncGenerator<ItemInput> {
  for (let last: ItemInput | undefined, isFirst = true; isFirst || last; isFirst = false) {
    const { rows }: { rows: ItemInput[] } = await sql<ItemInput>`
      select i.site_id as "siteId", i.job_id as "jobId", i.item_no as "itemNo", i.input, i.state in (1, 2) as "isDone" from job_item i
      where ${isOfKind(siteId, kind)} and (i.job_id, i.item_no) > (${last?.jobId ?? 0}::int, ${last?.itemNo ?? 0}::int) and ${hasText(text)}
      order by i.job_id, i.item_no limit ${ITEMS_PER_PAGE}`.execute(tx);
    yield* rows;
    last = rows.at(-1);
  }
}

/** Number of the items of all jobs of a kind whose request has a text. */
export async function countItemsWithText(
  tx: Tx,
  { siteId, kind, text }: { siteId: number; kind: string; text: string },
): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from job_item i where ${isOfKind(siteId, kind)} and ${hasText(text)}`.execute(
    tx,
  );
  return rows[0]?.n ?? 0;
}

/** Replaces what an item requested. */
export async function replaceInput(
  tx: Tx,
  { siteId, jobId, itemNo }: JobKey & { itemNo: number },
  input: object,
): Promise<void> {
  await sql`update job_item set input = ${JSON.stringify(input)}::json
    where site_id = ${siteId} and job_id = ${jobId} and item_no = ${itemNo}`.execute(tx);
}
