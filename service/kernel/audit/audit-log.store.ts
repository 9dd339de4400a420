import { type RawBuilder, sql, type Selectable } from 'kysely';
import { type Db, executeLater, type Tx } from '../db/database.ts';
import { defineStatement } from '../db/driver/dialect.ts';
import type { Tables } from '../db/tables/index.ts';

/** A row of audit_log without its timestamp; `changes` maps changed properties to [before, after]. */
export interface AuditRow extends Omit<Selectable<Tables['audit_log']>, 'audit_id' | 'at' | 'changes'> {
  changes: Readonly<Record<string, unknown>>;
}

const AUDIT_BATCH_ROWS = 20_000;

/**
 * Writes the audit rows of a change in its transaction: if they cannot be written, the change fails. Their timestamp is the time of
 * the insert, because a change that waited for another started before it and took effect after it. The rows are passed as one JSON
 * parameter: a bulk change has one per user.
 */
export async function insertAuditRows(tx: Tx, rows: readonly AuditRow[]): Promise<void> {
  for (let offset = 0; offset < rows.length; offset += AUDIT_BATCH_ROWS) {
    const batch = rows.slice(offset, offset + AUDIT_BATCH_ROWS);
    const query = insertRows(JSON.stringify(batch));
    // The rows of the last batch take no round trip of their own.
    if (offset + AUDIT_BATCH_ROWS < rows.length) await tx.executeQuery(query);
    else executeLater(query, tx);
  }
}

const insertRows = defineStatement(
  (
    rows: RawBuilder<string>,
  ) => sql`insert into audit_log (site_id, at, actor_id, proxy_id, action, subject_type, subject_id, subject_name,
        configuration_kind, ip, request_id, changes)
      select site_id, clock_timestamp(), actor_id, proxy_id, action, subject_type, subject_id, subject_name, configuration_kind, ip,
        request_id, changes
      from jsonb_to_recordset(${rows}::jsonb) as x(site_id int, actor_id int, proxy_id int, action text,
        subject_type text, subject_id text, subject_name text, configuration_kind text, ip text, request_id text, changes jsonb)`,
);

/** Ids of the sites with audit rows older than `days`; one index lookup for each site. */
export async function listSitesWithOldAuditRows(db: Db, days: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select site_id as id from site s where exists (
      select from audit_log a where a.site_id = s.site_id and a.at < now() - make_interval(days => ${days}::int))
    order by site_id`.execute(db);
  return rows.map(({ id }) => id);
}
