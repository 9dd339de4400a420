import { sql } from 'kysely';
import type { Db, Tx } from '../../kernel/db/database.ts';

/** End of the lease of a running verification, which is renewed every ten seconds. */
const LEASE_END = sql<Date>`now() + interval '60 seconds'`;

/** Queues the verification of a backup. @returns false when it is already queued or running */
export async function queueVerification(tx: Tx, siteId: number, id: number): Promise<boolean> {
  const row = await tx
    .updateTable('backup')
    .set({ verify_state: 'queued', verify_at: sql<Date>`now()`, verify_message: null })
    .where('site_id', '=', siteId)
    .where('backup_id', '=', id)
    .where((eb) =>
      eb.or([eb('verify_state', 'is', null), eb('verify_state', 'not in', ['queued', 'running'])]),
    )
    .returning('backup_id')
    .executeTakeFirst();
  return row !== undefined;
}

export interface ClaimedVerification {
  siteId: number;
  id: number;
  fileName: string;
  storageId: string;
}

/** Claims the oldest verification that is queued or whose lease of another process has expired. */
export async function claimVerification(db: Db, holder: string): Promise<ClaimedVerification | undefined> {
  const { rows } = await sql<ClaimedVerification>`
    with due as (select site_id, backup_id from backup
      where deleted_at is null and (verify_state = 'queued'
        or (verify_state = 'running' and verify_lease_until < now() and verify_holder <> ${holder}::uuid))
      order by backup_id limit 1 for update skip locked)
    update backup b set verify_state = 'running', verify_at = now(), verify_holder = ${holder},
      verify_lease_until = ${LEASE_END}
    from due where b.site_id = due.site_id and b.backup_id = due.backup_id
    returning b.site_id as "siteId", b.backup_id as id, file_name as "fileName", storage_id as "storageId"`.execute(
    db,
  );
  return rows[0];
}

/** Update of a verification that `holder` still holds. */
const updateHeld = (db: Db, { siteId, id }: ClaimedVerification, holder: string) =>
  db
    .updateTable('backup')
    .where('site_id', '=', siteId)
    .where('backup_id', '=', id)
    .where('verify_state', '=', 'running')
    .where('verify_holder', '=', holder);

/** Renews the lease. @returns false when the backup was deleted or the lease was lost */
export async function renewVerificationLease(
  db: Db,
  backup: ClaimedVerification,
  holder: string,
): Promise<boolean> {
  const row = await updateHeld(db, backup, holder)
    .set({ verify_lease_until: LEASE_END })
    .where('deleted_at', 'is', null)
    .returning('backup_id')
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Saves the outcome; `queued` puts an aborted verification back into the queue. @returns false when the lease was lost
 */
export async function saveVerification(
  tx: Tx,
  backup: ClaimedVerification,
  holder: string,
  outcome: { state: 'passed' | 'failed' | 'queued'; message: string | null },
): Promise<boolean> {
  const row = await updateHeld(tx, backup, holder)
    .set({
      verify_state: outcome.state,
      verify_at: sql<Date>`clock_timestamp()`,
      verify_message: outcome.message,
      verify_holder: null,
      verify_lease_until: null,
    })
    .returning('backup_id')
    .executeTakeFirst();
  return row !== undefined;
}
