import { sql } from 'kysely';
import type { Db, Tx } from '../../kernel/db/database.ts';
import type { Tables } from '../../kernel/db/tables.ts';
import type { SchemaField } from './schema.ts';
import { searchedText, slotValue, type StoredValue } from './values.ts';

/** So many entries at once: a writer who meets a piece waits for some milliseconds. */
const PIECE = 2000;

/** A field that something is to be done for, known by its row alone: one that is deleted is in no schema any more. */
export interface FieldJob {
  siteId: number;
  fieldId: number;
  typeId: number;
  job: Tables['field_job']['job'];
  afterId: number;
  slot: string | null;
}

const jobs = (db: Db) =>
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

/** What is to be done, of all sites. */
export const listJobs = (db: Db): Promise<FieldJob[]> =>
  jobs(db).orderBy('j.site_id').orderBy('j.field_id').orderBy('j.job').execute();

/** The job as it is now, ours until the transaction ends; undefined: it is done, or another process is at it. */
export const lockJob = (tx: Tx, { siteId, fieldId, job }: FieldJob): Promise<FieldJob | undefined> =>
  jobs(tx)
    .where('j.site_id', '=', siteId)
    .where('j.field_id', '=', fieldId)
    .where('j.job', '=', job)
    .forUpdate('j')
    .skipLocked()
    .executeTakeFirst();

const sameJob = ({ siteId, fieldId, job }: FieldJob) =>
  sql`site_id = ${siteId} and field_id = ${fieldId} and job = ${job}`;

/** Where the next piece begins. */
export async function moveJob(tx: Tx, job: FieldJob, afterId: number): Promise<void> {
  await sql`update field_job set after_id = ${afterId} where ${sameJob(job)}`.execute(tx);
}

export async function endJob(tx: Tx, job: FieldJob): Promise<void> {
  await sql`delete from field_job where ${sameJob(job)}`.execute(tx);
}

/** The slot, or entry_text, has the values of all entries: readers may use it. */
export async function markReady(tx: Tx, job: FieldJob, state: 'slot_state' | 'search_state'): Promise<void> {
  await sql`update field set ${sql.ref(state)} = 'ready'
    where site_id = ${job.siteId} and field_id = ${job.fieldId} and ${sql.ref(state)} is not null`.execute(
    tx,
  );
}

interface Held {
  id: number;
  value: StoredValue | null;
}

/** The next entries of the type in the order of ids, locked, with their values of the field. */
async function lockPiece(tx: Tx, { siteId, typeId, fieldId, afterId }: FieldJob): Promise<Held[]> {
  const { rows } = await sql<Held>`
    select entry_id as id, vals -> ${String(fieldId)} as value from entry
    where site_id = ${siteId} and type_id = ${typeId} and entry_id > ${afterId}
    order by entry_id limit ${PIECE} for update`.execute(tx);
  return rows;
}

/** The last id of a full piece; undefined: there is nothing behind it. */
const lastOf = (ids: readonly number[]): number | undefined => (ids.length < PIECE ? undefined : ids.at(-1));

/** Fills the slot of a field for a piece of entries; answers after which id to go on. */
export async function fillSlot(tx: Tx, job: FieldJob, field: SchemaField): Promise<number | undefined> {
  const held = await lockPiece(tx, job);
  const ids = held.map(({ id }) => id);
  const values = held.map(({ value }) => slotValue(value ?? undefined, field));
  const slot = sql.ref(job.slot ?? '');
  const type = job.slot?.startsWith('t') ? sql`text[]` : sql`float8[]`;
  await sql`update entry e set ${slot} = w.v from unnest(${ids}::int[], ${values}::${type}) as w(id, v)
    where e.site_id = ${job.siteId} and e.entry_id = w.id and e.${slot} is distinct from w.v`.execute(tx);
  return lastOf(ids);
}

/** Brings the texts of a piece of entries into entry_text; answers after which id to go on. */
export async function fillSearch(tx: Tx, job: FieldJob, field: SchemaField): Promise<number | undefined> {
  const held = await lockPiece(tx, job);
  const texts = held.flatMap(({ id, value }) => {
    const text = searchedText(value ?? undefined, field);
    return text === undefined ? [] : [{ id, text }];
  });
  await sql`insert into entry_text (site_id, field_id, entry_id, v)
    select ${job.siteId}, ${job.fieldId}, w.id, w.v
    from unnest(${texts.map(({ id }) => id)}::int[], ${texts.map(({ text }) => text)}::text[]) as w(id, v)
    on conflict (site_id, field_id, entry_id) do update set v = excluded.v where entry_text.v <> excluded.v`.execute(
    tx,
  );
  return lastOf(held.map(({ id }) => id));
}

/** Takes a piece of a field's texts out of entry_text; answers whether it may have more. */
export async function clearSearch(tx: Tx, { siteId, fieldId }: FieldJob): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`delete from entry_text
    where site_id = ${siteId} and field_id = ${fieldId} and entry_id in (
      select entry_id from entry_text where site_id = ${siteId} and field_id = ${fieldId}
      order by entry_id limit ${PIECE})`.execute(tx);
  return numAffectedRows >= BigInt(PIECE);
}

/** The same for entry_multi. */
export async function clearMulti(tx: Tx, { siteId, fieldId }: FieldJob): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`delete from entry_multi
    where site_id = ${siteId} and field_id = ${fieldId} and (v, entry_id) in (
      select v, entry_id from entry_multi where site_id = ${siteId} and field_id = ${fieldId}
      order by v, entry_id limit ${PIECE})`.execute(tx);
  return numAffectedRows >= BigInt(PIECE);
}

/** Takes the value of a deleted field, and its slot, from a piece of entries; answers after which id to go on. */
export async function clearValues(tx: Tx, job: FieldJob): Promise<number | undefined> {
  const ids = (await lockPiece(tx, job)).map(({ id }) => id);
  const slot = job.slot === null ? sql`` : sql`, ${sql.ref(job.slot)} = null`;
  await sql`update entry set vals = vals - ${String(job.fieldId)}::text ${slot}
    where site_id = ${job.siteId} and entry_id = any(${ids}::int[]) and vals ? ${String(job.fieldId)}`.execute(
    tx,
  );
  return lastOf(ids);
}

/** Forgets a deleted field of which nothing is left; what it was stays in the logs. */
export async function forgetField(tx: Tx, { siteId, fieldId }: FieldJob): Promise<void> {
  await tx.deleteFrom('field').where('site_id', '=', siteId).where('field_id', '=', fieldId).execute();
}

/** Asks for the calculation of a piece of entries; answers after which id to go on. */
export async function queuePiece(tx: Tx, { siteId, typeId, afterId }: FieldJob): Promise<number | undefined> {
  const { rows } = await sql<{ n: number; last: number }>`
    with piece as (
      select entry_id from entry where site_id = ${siteId} and type_id = ${typeId} and entry_id > ${afterId}
      order by entry_id limit ${PIECE}),
    queued as (
      insert into calc_queue (site_id, entry_id) select ${siteId}, entry_id from piece order by entry_id
      on conflict (site_id, entry_id) do nothing)
    select count(*)::int as n, max(entry_id) as last from piece`.execute(tx);
  const [piece] = rows;
  return piece && piece.n === PIECE ? piece.last : undefined;
}
