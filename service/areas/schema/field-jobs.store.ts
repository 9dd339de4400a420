import { sql } from 'kysely';
import type { Db, Tx } from '../../kernel/db/database.ts';
import type { Tables } from '../../kernel/db/tables/index.ts';
import type { SchemaField } from './schema.ts';
import { toSearchText, toSlotValue, type StoredValue } from './values.ts';

/** Name under which a change of the schema wakes the task that runs the jobs. */
export const FIELD_JOBS_TASK = 'field jobs';

/** The item of the task that a job is. */
export const getJobItem = ({ fieldId, job }: Pick<FieldJob, 'fieldId' | 'job'>): string =>
  `field ${fieldId}: ${job}`;

/** Entries per batch; a writer that meets a locked batch waits for some milliseconds. */
const BATCH_SIZE = 2000;

/** Queued job with the field's row; deleted fields are included, although no schema contains them. */
export interface FieldJob {
  siteId: number;
  fieldId: number;
  typeId: number;
  job: Tables['field_job']['job'];
  afterId: number;
  slot: string | null;
}

const selectJobs = (db: Db) =>
  db
    .selectFrom('field_job as j')
    .innerJoin('field as f', (join) =>
      join.onRef('f.site_id', '=', 'j.site_id').onRef('f.field_id', '=', 'j.field_id'),
    )
    .select([
      'j.site_id as siteId',
      'j.field_id as fieldId',
      'f.type_id as typeId',
      'j.job',
      'j.after_id as afterId',
      'f.slot',
    ]);

/** Queued jobs of all sites. */
export const listJobs = (db: Db): Promise<FieldJob[]> =>
  selectJobs(db).orderBy('j.site_id').orderBy('j.field_id').orderBy('j.job').execute();

/**
 * Current state of a job, locked until the transaction ends; undefined when it is done or locked by another process.
 */
export const lockJob = (tx: Tx, { siteId, fieldId, job }: FieldJob): Promise<FieldJob | undefined> =>
  selectJobs(tx)
    .where('j.site_id', '=', siteId)
    .where('j.field_id', '=', fieldId)
    .where('j.job', '=', job)
    .forUpdate('j')
    .skipLocked()
    .executeTakeFirst();

/** Saves the entry id after which the next batch begins. */
export async function saveJobProgress(
  tx: Tx,
  { siteId, fieldId, job }: FieldJob,
  afterId: number,
): Promise<void> {
  await tx
    .updateTable('field_job')
    .set({ after_id: afterId })
    .where('site_id', '=', siteId)
    .where('field_id', '=', fieldId)
    .where('job', '=', job)
    .execute();
}

export async function deleteJob(tx: Tx, { siteId, fieldId, job }: FieldJob): Promise<void> {
  await tx
    .deleteFrom('field_job')
    .where('site_id', '=', siteId)
    .where('field_id', '=', fieldId)
    .where('job', '=', job)
    .execute();
}

/** Marks the slot or entry_text as complete, so that readers use it. */
export async function markReady(tx: Tx, job: FieldJob, state: 'slot_state' | 'search_state'): Promise<void> {
  await tx
    .updateTable('field')
    .set(state, 'ready')
    .where('site_id', '=', job.siteId)
    .where('field_id', '=', job.fieldId)
    .where(state, 'is not', null)
    .execute();
}

interface EntryValueRow {
  id: number;
  value: StoredValue | null;
}

/** Locks the next entries of the type in id order and returns their values of the field. */
async function lockBatch(tx: Tx, { siteId, typeId, fieldId, afterId }: FieldJob): Promise<EntryValueRow[]> {
  const { rows } = await sql<EntryValueRow>`
    select entry_id as id, vals -> ${String(fieldId)} as value from entry
    where site_id = ${siteId} and type_id = ${typeId} and entry_id > ${afterId}
    order by entry_id limit ${BATCH_SIZE} for update`.execute(tx);
  return rows;
}

/** Last id of a full batch; undefined when no entries follow. */
const getNextAfterId = (ids: readonly number[]): number | undefined =>
  ids.length < BATCH_SIZE ? undefined : ids.at(-1);

/** Fills the field's slot for one batch. @returns the id after which the next batch begins */
export async function fillSlot(tx: Tx, job: FieldJob, field: SchemaField): Promise<number | undefined> {
  const rows = await lockBatch(tx, job);
  const ids = rows.map(({ id }) => id);
  const values = rows.map(({ value }) => toSlotValue(value ?? undefined, field));
  const slot = sql.ref(job.slot ?? '');
  const type = job.slot?.startsWith('t') ? sql`text[]` : sql`float8[]`;
  await sql`update entry e set ${slot} = w.v from unnest(${ids}::int[], ${values}::${type}) as w(id, v)
    where e.site_id = ${job.siteId} and e.entry_id = w.id and e.${slot} is distinct from w.v`.execute(tx);
  return getNextAfterId(ids);
}

/** Writes the field's texts of one batch to entry_text. @returns the id after which the next batch begins */
export async function fillSearch(tx: Tx, job: FieldJob, field: SchemaField): Promise<number | undefined> {
  const rows = await lockBatch(tx, job);
  const texts = rows.flatMap(({ id, value }) => {
    const text = toSearchText(value ?? undefined, field);
    return text === undefined ? [] : [{ id, text }];
  });
  await sql`insert into entry_text (site_id, field_id, entry_id, v)
    select ${job.siteId}, ${job.fieldId}, w.id, w.v
    from unnest(${texts.map(({ id }) => id)}::int[], ${texts.map(({ text }) => text)}::text[]) as w(id, v)
    on conflict (site_id, field_id, entry_id) do update set v = excluded.v where entry_text.v <> excluded.v`.execute(
    tx,
  );
  return getNextAfterId(rows.map(({ id }) => id));
}

/** Deletes one batch of the field's texts from entry_text. @returns whether more may follow */
export async function clearSearch(tx: Tx, { siteId, fieldId }: FieldJob): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`delete from entry_text
    where site_id = ${siteId} and field_id = ${fieldId} and entry_id in (
      select entry_id from entry_text where site_id = ${siteId} and field_id = ${fieldId}
      order by entry_id limit ${BATCH_SIZE})`.execute(tx);
  return numAffectedRows >= BigInt(BATCH_SIZE);
}

/** Deletes one batch of the field's values from entry_multi. @returns whether more may follow */
export async function clearMulti(tx: Tx, { siteId, fieldId }: FieldJob): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`delete from entry_multi
    where site_id = ${siteId} and field_id = ${fieldId} and (v, entry_id) in (
      select v, entry_id from entry_multi where site_id = ${siteId} and field_id = ${fieldId}
      order by v, entry_id limit ${BATCH_SIZE})`.execute(tx);
  return numAffectedRows >= BigInt(BATCH_SIZE);
}

/**
 * Clears a deleted field's value and slot in one batch of entries. @returns the id after which the next batch begins
 */
export async function clearValues(tx: Tx, job: FieldJob): Promise<number | undefined> {
  const ids = (await lockBatch(tx, job)).map(({ id }) => id);
  const slot = job.slot === null ? sql`` : sql`, ${sql.ref(job.slot)} = null`;
  await sql`update entry set vals = vals - ${String(job.fieldId)}::text ${slot}
    where site_id = ${job.siteId} and entry_id = any(${ids}::int[]) and vals ? ${String(job.fieldId)}`.execute(
    tx,
  );
  return getNextAfterId(ids);
}

/** Deletes the row of a field whose values are cleared; the logs keep its history. */
export async function deleteFieldRow(tx: Tx, { siteId, fieldId }: FieldJob): Promise<void> {
  await tx.deleteFrom('field').where('site_id', '=', siteId).where('field_id', '=', fieldId).execute();
}

/** Queues the calculation of one batch of entries. @returns the id after which the next batch begins */
export async function queueCalculations(
  tx: Tx,
  { siteId, typeId, afterId }: FieldJob,
): Promise<number | undefined> {
  const { rows } = await sql<{ n: number; last: number }>`
    with batch as (
      select entry_id from entry where site_id = ${siteId} and type_id = ${typeId} and entry_id > ${afterId}
      order by entry_id limit ${BATCH_SIZE}),
    queued as (
      insert into calc_queue (site_id, entry_id) select ${siteId}, entry_id from batch order by entry_id
      on conflict (site_id, entry_id) do nothing)
    select count(*)::int as n, max(entry_id) as last from batch`.execute(tx);
  const [batch] = rows;
  return batch && batch.n === BATCH_SIZE ? batch.last : undefined;
}
