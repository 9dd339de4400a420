import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../kernel/db/database.ts';

/** Figures of a site on a day. */
export interface StoredFigures {
  /** Day in UTC: "2026-03-01". */
  day: string;
  /** Entries at the end of the day; now for the present day. */
  entries: number;
  /** Writes of entries on the day: an entry counts once for each request that created, changed, deleted or restored it. */
  changes: number;
  /** Bytes of files when they were last measured on the day; null: never. */
  storageBytes: number | null;
}

/** The present day, by the clock of the database. */
const TODAY = sql`(now() at time zone 'UTC')::date`;

/** A transaction is in the audit log with the time at which it began; none takes longer after the end of a day than this. */
const SETTLING = sql`interval '1 hour'`;

/** Whether a stored row `f` counts all that was written on its day. */
const IS_SETTLED = sql`f.measured_at >= (f.day + 1)::timestamp at time zone 'UTC' + ${SETTLING}`;

/** Ids of the sites whose present day was not measured in the last `minutes`. */
export async function listSitesToMeasure(db: Db, minutes: number): Promise<number[]> {
  const { rows } = await sql<{ siteId: number }>`
    select s.site_id as "siteId" from site s where not exists (
      select from site_figure f where f.site_id = s.site_id and f.day = ${TODAY}
        and f.measured_at > now() - make_interval(mins => ${minutes}::int))
    order by s.site_id`.execute(db);
  return rows.map(({ siteId }) => siteId);
}

/**
 * The figures from a day on, in one snapshot, without reading entries: their number is kept by type (entry_block), and the audit
 * log, of which only the rows from that day on are read, says what was added and removed since. Values that a calculation wrote are no
 * changes. `cli.load` names a number instead of ids.
 */
const selectFigures = (siteId: number, firstDay: RawBuilder<unknown>): RawBuilder<StoredFigures> => sql`
  select d.day, changes, case when d.day = ${TODAY} then storage_bytes end as storage_bytes,
    greatest(0, held.entries - coalesce(sum(difference) over (order by d.day desc rows between unbounded preceding and 1 preceding), 0))::int as entries
  from generate_series(0, ${TODAY} - ${firstDay}) as ago(days) cross join lateral (select ${TODAY} - ago.days as day) d
  cross join (select coalesce(sum(n), 0) as entries from entry_block
    where site_id = ${siteId}) held
  cross join (select coalesce(max(used_bytes), 0)::bigint as storage_bytes from site_storage where site_id = ${siteId}) used
  cross join lateral (
    select coalesce(sum(w.n), 0)::int as changes,
      coalesce(sum(case w.action when 'entry.update' then 0 when 'entry.delete' then -w.n else w.n end), 0) as difference
    from (select action, case action when 'cli.load' then (changes -> 'entries' ->> 1)::int
        else jsonb_array_length(changes -> 'entries') end as n
      from audit_log where site_id = ${siteId} and subject_type = 'entry-type'
        and action in ('entry.create', 'entry.update', 'entry.delete', 'entry.restore', 'cli.load')
        and at >= d.day::timestamp at time zone 'UTC'
        and at < (d.day + 1)::timestamp at time zone 'UTC') w) written`;

/**
 * Stores the figures of the days that are not settled: today, yesterday until an hour after its end, and up to `maxDays` days for
 * which there are no rows, as after the service stood still. The audit log knows nothing of the time before its first row.
 */
export async function saveFigures(db: Db, siteId: number, maxDays: number): Promise<void> {
  const firstDay = sql`greatest(${TODAY} - ${maxDays - 1}::int,
    coalesce((select (at at time zone 'UTC')::date from audit_log where site_id = ${siteId} order by at limit 1), ${TODAY}),
    (select f.day + 1 from site_figure f where f.site_id = ${siteId} and ${IS_SETTLED} order by f.day desc limit 1))`;
  await sql`
    insert into site_figure (site_id, day, entries, changes, storage_bytes)
    select ${siteId}, day, entries, changes, storage_bytes from (${selectFigures(siteId, firstDay)}) as figures order by day
    on conflict (site_id, day) do update set entries = excluded.entries, changes = excluded.changes,
      storage_bytes = coalesce(excluded.storage_bytes, site_figure.storage_bytes), measured_at = excluded.measured_at
    where site_figure.measured_at <= excluded.measured_at`.execute(db);
}

/** Deletes the figures of days before the last `days`. */
export async function deleteOldFigures(db: Db, siteId: number, days: number): Promise<void> {
  await sql`delete from site_figure where site_id = ${siteId} and day <= ${TODAY} - ${days}::int`.execute(db);
}

/** The stored figures of the days before today, oldest first, and those of today as of now, within the last `days`. */
export async function readFigures(db: Db, siteId: number, days: number): Promise<StoredFigures[]> {
  const { rows } = await sql<StoredFigures>`
    select day, entries, changes, storage_bytes as "storageBytes" from (
      select day, entries, changes, storage_bytes from site_figure
      where site_id = ${siteId} and day > ${TODAY} - ${days}::int and day < ${TODAY}
      union all
      select day, entries, changes, storage_bytes from (${selectFigures(siteId, TODAY)}) as today) figures
    order by day`.execute(db);
  return rows;
}
