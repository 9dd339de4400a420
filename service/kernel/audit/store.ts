import { type Insertable, sql } from 'kysely';
import type { Tx } from '../db/database.ts';
import { inPieces } from '../db/pieces.ts';
import type { Tables } from '../db/tables.ts';

export type AuditRow = Omit<Insertable<Tables['audit_log']>, 'at'>;

const ROWS_AT_ONCE = 2000;

/**
 * Writes the audit rows of a change, in its transaction: if they cannot be written, the change is refused. Their moment
 * is that of writing: a change that waited for another one began before it and came after it.
 */
export async function writeAudit(tx: Tx, rows: readonly AuditRow[]): Promise<void> {
  const at = sql<Date>`clock_timestamp()`;
  await inPieces(rows, ROWS_AT_ONCE, (piece) =>
    tx
      .insertInto('audit_log')
      .values(piece.map((row) => ({ ...row, at })))
      .execute(),
  );
}
