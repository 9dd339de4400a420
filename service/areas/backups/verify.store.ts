import { sql } from 'kysely';
import type { Db, Tx } from '../../kernel/db/database.ts';
import { createLeases } from '../../kernel/tasks/leases.store.ts';

/** The lease of a running verification is renewed every ten seconds. */
const LEASE_SECONDS = 60;
const leases = createLeases({ fence: 'verify_fence', until: 'verify_lease_until' });

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
  fence: number;
  fileName: string;
  storageId: string;
}

/** Claims the oldest verification that is queued or whose lease has lapsed. */
export async function claimVerification(db: Db): Promise<ClaimedVerification | undefined> {
  const { rows } = await sql<ClaimedVerification>`
    with due as (select site_id, backup_id from backup
      where deleted_at is null and (verify_state = 'queued'
        or (verify_state = 'running' and not ${leases.isHeld()}))
      order by backup_id limit 1 for update skip locked)
    update backup b set verify_state = 'running', verify_at = now(), verify_holder = null,
      ${leases.claim(LEASE_SECONDS, 'b')}
    from due where b.site_id = due.site_id and b.backup_id = due.backup_id
    returning b.site_id as "siteId", b.backup_id as id, verify_fence as fence, file_name as "fileName", storage_id as "storageId"`.execute(
    db,
  );
  return rows[0];
}

/** SQL condition: the verification still runs under this claim. */
const isClaim = ({
  siteId,
  id,
  fence,
}: ClaimedVerification) => sql<boolean>`site_id = ${siteId} and backup_id = ${id}
    and verify_state = 'running' and ${leases.isUnclaimedSince(fence)}`;

/** Renews the lease. @returns false when the backup was deleted or the lease was lost */
export async function renewVerificationLease(db: Db, backup: ClaimedVerification): Promise<boolean> {
  const { numAffectedRows } = await sql`update backup set ${leases.renew(LEASE_SECONDS)}
    where ${isClaim(backup)} and deleted_at is null`.execute(db);
  return numAffectedRows === 1n;
}

/**
 * Saves the outcome; `queued` puts an aborted verification back into the queue. @returns false when the lease was lost
 */
export async function saveVerification(
  tx: Tx,
  backup: ClaimedVerification,
  { state, message }: { state: 'passed' | 'failed' | 'queued'; message: string | null },
): Promise<boolean> {
  const { numAffectedRows } =
    await sql`update backup set verify_state = ${state}, verify_at = clock_timestamp(),
      verify_message = ${message}, ${leases.end}
    where ${isClaim(backup)}`.execute(tx);
  return numAffectedRows === 1n;
}
