import { sql } from 'kysely';
import type { Tx } from '../db/database.ts';
import { inPieces } from '../db/pieces.ts';

/** A row of audit_log without its moment; `changes` is what differs. */
export interface AuditRow {
  site_id: number;
  actor_id: number | null;
  proxy_id: number | null;
  action: string;
  subject_type: string;
  subject_id: string;
  ip: string | null;
  request_id: string;
  changes: Readonly<Record<string, unknown>>;
}

const ROWS_AT_ONCE = 20_000;

/**
 * Writes the audit rows of a change, in its transaction: if they cannot be written, the change is refused. Their moment
 * is that of writing: a change that waited for another one began before it and came after it. Many rows are one
 * parameter: a large change writes as many rows here as there are people in it.
 */
export async function writeAudit(tx: Tx, rows: readonly AuditRow[]): Promise<void> {
  await inPieces(rows, ROWS_AT_ONCE, (piece) =>
    sql`insert into audit_log (site_id, at, actor_id, proxy_id, action, subject_type, subject_id, ip, request_id, changes)
      select site_id, clock_timestamp(), actor_id, proxy_id, action, subject_type, subject_id, ip, request_id, changes
      from jsonb_to_recordset(${JSON.stringify(piece)}::jsonb) as x(site_id int, actor_id int, proxy_id int, action text,
        subject_type text, subject_id text, ip text, request_id text, changes jsonb)`.execute(tx),
  );
}
