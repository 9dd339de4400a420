import { sql } from 'kysely';
import type { Db, Tx } from '../../kernel/db/database.ts';

const LEASE = sql`now() + interval '60 seconds'`;

/** Puts a backup in line; false: it is there already. */
export async function queueVerification(tx: Tx, siteId: number, id: number): Promise<boolean> {
  const { rows } = await sql`
    update backup set verify_state = 'queued', verify_at = now(), verify_message = null
    where site_id = ${siteId} and backup_id = ${id} and coalesce(verify_state, '') not in ('queued', 'running')
    returning 1`.execute(tx);
  return rows.length > 0;
}

export interface Claimed {
  siteId: number;
  id: number;
  fileName: string;
  storageId: string;
}

/** Takes one that is in line, or whose process has been silent for too long. */
export async function claimVerification(db: Db, holder: string): Promise<Claimed | undefined> {
  const { rows } = await sql<Claimed>`
    with due as (select site_id, backup_id from backup
      where deleted_at is null and (verify_state = 'queued'
        or (verify_state = 'running' and verify_lease_until < now() and verify_holder <> ${holder}::uuid))
      order by backup_id limit 1 for update skip locked)
    update backup b set verify_state = 'running', verify_at = now(), verify_holder = ${holder},
      verify_lease_until = ${LEASE}
    from due where b.site_id = due.site_id and b.backup_id = due.backup_id
    returning b.site_id as "siteId", b.backup_id as id, file_name as "fileName", storage_id::text as "storageId"`.execute(
    db,
  );
  return rows[0];
}

const mine = ({ siteId, id }: Claimed, holder: string) =>
  sql`site_id = ${siteId} and backup_id = ${id} and verify_state = 'running' and verify_holder = ${holder}::uuid`;

/** Says that the check goes on; false: the backup was deleted, or the check is no longer this process's. */
export async function beatVerification(db: Db, backup: Claimed, holder: string): Promise<boolean> {
  const { rows } = await sql`update backup set verify_lease_until = ${LEASE}
    where ${mine(backup, holder)} and deleted_at is null returning 1`.execute(db);
  return rows.length > 0;
}

/** Writes the outcome down; in line again where there is none. */
export async function setVerified(
  tx: Tx,
  backup: Claimed,
  holder: string,
  outcome: { state: 'passed' | 'failed' | 'queued'; message: string | null },
): Promise<boolean> {
  const { rows } = await sql`
    update backup set verify_state = ${outcome.state}, verify_at = clock_timestamp(),
      verify_message = ${outcome.message}, verify_holder = null, verify_lease_until = null
    where ${mine(backup, holder)} returning 1`.execute(tx);
  return rows.length > 0;
}
