import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from '../../kernel/db/database.ts';

/** Entry id of a failure that concerns a field as a whole: its formula is not run any more. */
export const WHOLE_FIELD = 0;

/** Entries of a field of which a failure is recorded; more of them would only repeat the reason. */
export const MAX_RECORDED_FAILURES = 1_000;

/** A calculated value that could not be computed. */
export interface CalculationFailure {
  fieldId: number;
  /** WHOLE_FIELD for a field whose formula is not run any more. */
  entryId: number;
  reason: string;
  attempts: number;
  /** Milliseconds until the next attempt; null when only a change of the entry or formula can help. */
  retryInMs: number | null;
}

/** Ids of the fields whose formulas are not run any more. */
export async function listParkedFields(db: Db, siteId: number): Promise<Set<number>> {
  const { rows } = await sql<{ id: number }>`
    select field_id as id from calculation_failure where site_id = ${siteId} and entry_id = ${WHOLE_FIELD}`.execute(
    db,
  );
  return new Set(rows.map(({ id }) => id));
}

/** Attempts of failed calculations of these entries. */
export async function listAttempts(
  tx: Tx,
  siteId: number,
  entryIds: readonly number[],
): Promise<Pick<CalculationFailure, 'fieldId' | 'entryId' | 'attempts'>[]> {
  const { rows } = await sql<Pick<CalculationFailure, 'fieldId' | 'entryId' | 'attempts'>>`
    select field_id as "fieldId", entry_id as "entryId", attempts from calculation_failure
    where site_id = ${siteId} and entry_id = any(${[...entryIds]}::int[])`.execute(tx);
  return rows;
}

/** Number of failed entries of each of these fields, and of those among them with at least `minAttempts`. */
export async function countFailures(
  tx: Tx,
  siteId: number,
  fieldIds: readonly number[],
  minAttempts: number,
): Promise<ReadonlyMap<number, { entries: number; exhausted: number }>> {
  const { rows } = await sql<{ id: number; entries: number; exhausted: number }>`
    select field_id as id, count(*)::int as entries,
      (count(*) filter (where attempts >= ${minAttempts}))::int as exhausted
    from calculation_failure
    where site_id = ${siteId} and field_id = any(${[...fieldIds]}::int[]) and entry_id <> ${WHOLE_FIELD}
    group by field_id`.execute(tx);
  return new Map(rows.map(({ id, ...counts }) => [id, counts]));
}

/** Replaces the failures of these entries. */
export async function replaceFailures(
  tx: Tx,
  siteId: number,
  entryIds: readonly number[],
  failures: readonly CalculationFailure[],
): Promise<void> {
  await deleteFailuresOfEntries(tx, siteId, entryIds);
  if (failures.length === 0) return;
  const rows = failures.map(({ fieldId, entryId, reason, attempts, retryInMs }) => ({
    field_id: fieldId,
    entry_id: entryId,
    reason,
    attempts,
    seconds: retryInMs === null ? null : retryInMs / 1_000,
  }));
  await sql`insert into calculation_failure (site_id, field_id, entry_id, reason, attempts, retry_at)
    select ${siteId}, x.field_id, x.entry_id, x.reason, x.attempts, now() + make_interval(secs => x.seconds)
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as x(field_id int, entry_id int, reason text, attempts int, seconds float8)
    on conflict do nothing`.execute(tx);
}

/** Forgets the failures of entries that are deleted or calculated again. */
export async function deleteFailuresOfEntries(
  tx: Tx,
  siteId: number,
  entryIds: readonly number[],
): Promise<void> {
  await sql`delete from calculation_failure
    where site_id = ${siteId} and entry_id = any(${[...entryIds]}::int[])`.execute(tx);
}

/** Forgets the failures of a field whose formula changes: every entry is calculated again. */
export async function deleteFailuresOfField(tx: Tx, siteId: number, fieldId: number): Promise<void> {
  await sql`delete from calculation_failure where site_id = ${siteId} and field_id = ${fieldId}`.execute(tx);
}

/** Failures of a field as administrators see them. */
export interface ShownFieldFailures {
  fieldId: number;
  /** Why the formula is not run any more; null when only single entries failed. */
  fieldReason: string | null;
  /** Number of recorded entries. */
  entryCount: number;
  entries: ShownEntryFailure[];
}

interface ShownEntryFailure {
  entryId: number;
  reason: string;
  failedAt: string;
  retryAt: string | null;
}

const toIsoText = (column: RawBuilder<unknown>) =>
  sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** Failures of these fields with at most `maxEntries` entries each, the latest first. */
export async function listShownFailures(
  db: Db,
  siteId: number,
  fieldIds: readonly number[],
  maxEntries: number,
): Promise<ShownFieldFailures[]> {
  const { rows } = await sql<ShownFieldFailures>`
    with ranked as (
      select f.*, row_number() over (partition by field_id order by failed_at desc, entry_id) as place
      from calculation_failure f
      where f.site_id = ${siteId} and f.field_id = any(${[...fieldIds]}::int[]) and f.entry_id <> ${WHOLE_FIELD}),
    grouped as (
      select r.field_id, least(count(*), ${MAX_RECORDED_FAILURES})::int as n,
        jsonb_agg(jsonb_build_object('entryId', r.entry_id, 'reason', r.reason,
          'failedAt', ${toIsoText(sql`r.failed_at`)}, 'retryAt', ${toIsoText(sql`r.retry_at`)})
          order by r.place) filter (where r.place <= ${maxEntries}) as entries
      from ranked r group by r.field_id)
    select coalesce(g.field_id, p.field_id) as "fieldId", p.reason as "fieldReason", coalesce(g.n, 0) as "entryCount",
      coalesce(g.entries, '[]') as entries
    from grouped g full join (
      select field_id, reason from calculation_failure
      where site_id = ${siteId} and field_id = any(${[...fieldIds]}::int[]) and entry_id = ${WHOLE_FIELD}) p
      on p.field_id = g.field_id
    order by 1`.execute(db);
  return rows;
}
