import type { Insertable } from 'kysely';
import type { Tx } from '../db/database.ts';
import type { Tables } from '../db/tables.ts';

export type AuditRow = Insertable<Tables['audit_log']>;

/** Writes the audit rows of a change, in its transaction: if they cannot be written, the change is refused. */
export async function writeAudit(tx: Tx, rows: readonly AuditRow[]): Promise<void> {
  if (rows.length > 0)
    await tx
      .insertInto('audit_log')
      .values([...rows])
      .execute();
}
