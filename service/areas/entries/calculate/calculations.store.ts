import { sql } from 'kysely';
import type { Db, Tx } from '../../../kernel/db/database.ts';

/** Queues entries whose failed calculations are due for another attempt. */
export async function queueDueRetries(db: Db): Promise<void> {
  await sql`insert into calc_queue (site_id, entry_id)
    select distinct site_id, entry_id from calculation_failure where retry_at <= now() order by site_id, entry_id
    on conflict do nothing`.execute(db);
}

/** Ids of the sites with queued calculations; one index lookup for each. */
export async function listQueuedSites(db: Db): Promise<number[]> {
  const { rows } = await sql<{ site_id: number }>`
    with recursive queued as (
      (select site_id from calc_queue order by site_id limit 1)
      union all
      select (select q.site_id from calc_queue q where q.site_id > queued.site_id order by q.site_id limit 1)
      from queued where queued.site_id is not null)
    select site_id from queued where site_id is not null`.execute(db);
  return rows.map((row) => row.site_id);
}

/** A queued entry; without a type when the entry was deleted while it was being queued. */
export interface QueuedEntry {
  entryId: number;
  typeId: number | null;
}

/** The entries of a site that have been queued longest. */
export async function listQueuedEntries(db: Db, siteId: number, limit: number): Promise<QueuedEntry[]> {
  const { rows } = await sql<QueuedEntry>`
    select q.entry_id as "entryId", e.type_id as "typeId"
    from (select site_id, entry_id, queued_at from calc_queue where site_id = ${siteId}
      order by queued_at, entry_id limit ${limit}) q
    left join entry e on e.site_id = q.site_id and e.entry_id = q.entry_id
    order by q.queued_at, q.entry_id`.execute(db);
  return rows;
}

/** An entry with the values that its calculations need. */
export interface StoredEntry {
  entryId: number;
  version: number;
  /** Size of the values. */
  bytes: number;
  /** The values by field id as JSON; null when they alone are larger than the limit. */
  vals: string | null;
}

/**
 * Values of these fields of the first entries that together have at most `maxBytes`; of the first entry in any case, but without the
 * values when they are larger. Sizes are measured in the database, so that nothing larger is read.
 */
export async function readEntries(
  db: Db,
  siteId: number,
  ids: readonly number[],
  fieldIds: readonly number[],
  maxBytes: number,
): Promise<StoredEntry[]> {
  const keys = fieldIds.map(String);
  const { rows } = await sql<StoredEntry>`
    with sized as (
      select picked.position, e.entry_id, e.version,
        (select coalesce(sum(octet_length(v.value::text)), 0)::int8 from jsonb_each(e.vals) v
          where v.key = any(${keys}::text[])) as bytes
      from unnest(${[...ids]}::int[]) with ordinality as picked(entry_id, position)
      join entry e on e.site_id = ${siteId} and e.entry_id = picked.entry_id),
    summed as (
      select *, (sum(bytes) over (order by position))::int8 as total, row_number() over (order by position) as place
      from sized)
    select s.entry_id as "entryId", s.version, s.bytes,
      case when s.bytes <= ${maxBytes}::int8 then (
        select coalesce(jsonb_object_agg(v.key, v.value), '{}')::text from jsonb_each(e.vals) v
        where v.key = any(${keys}::text[])) end as vals
    from summed s join entry e on e.site_id = ${siteId} and e.entry_id = s.entry_id
    where s.total <= ${maxBytes}::int8 or s.place = 1
    order by s.position`.execute(db);
  return rows;
}

/**
 * Locks those of the entries that are as they were read, and takes them from the queue. Changed entries, and entries that a writer
 * has locked, stay queued.
 * @returns the ids of the locked entries
 */
export async function takeEntries(
  tx: Tx,
  siteId: number,
  entries: readonly Pick<StoredEntry, 'entryId' | 'version'>[],
): Promise<Set<number>> {
  const { rows } = await sql<{ id: number }>`
    select e.entry_id as id from entry e
    join unnest(${entries.map(({ entryId }) => entryId)}::int[], ${entries.map(({ version }) => version)}::int[])
      as r(entry_id, version) on r.entry_id = e.entry_id and r.version = e.version
    where e.site_id = ${siteId} order by e.entry_id for no key update of e skip locked`.execute(tx);
  const ids = rows.map(({ id }) => id);
  await sql`delete from calc_queue where site_id = ${siteId} and entry_id = any(${ids}::int[])`.execute(tx);
  return new Set(ids);
}

/** Takes entries that do not exist any more from the queue. */
export async function dequeueDeletedEntries(db: Db, siteId: number, ids: readonly number[]): Promise<void> {
  await sql`delete from calc_queue where site_id = ${siteId} and entry_id = any(${[...ids]}::int[])
    and entry_id not in (select entry_id from entry where site_id = ${siteId} and entry_id = any(${[...ids]}::int[]))`.execute(
    db,
  );
}
