import { type Kysely, sql } from 'kysely';

const statements = [
  // Jobs of the service itself have no owner: backups of the schedule.
  'alter table job alter column owner_id drop not null',
  // What a job that does not change items works on.
  'alter table job add column stage text',
  'alter table backup add column job_id int',
  // Each attempt writes a file of its own; that of the last one is the file of the backup.
  `alter table backup alter column storage_id drop default,
    alter column storage_id type text using storage_id::text,
    alter column storage_id set default gen_random_uuid()::text`,
  `update backup set status = 'Queued', started_at = null where status = 'Running'`,
  `with added as (
    insert into job (site_id, kind, title, state, is_proven, is_federated, ip, request_id, parameters, total)
    select site_id, 'backup', 'Back up to ' || file_name, 'waiting', false, false, '', 'migration',
      jsonb_build_object('fileName', file_name), 100
    from backup where status = 'Queued' and deleted_at is null
    returning site_id, job_id, parameters ->> 'fileName' as file_name)
  update backup b set job_id = added.job_id from added
  where b.site_id = added.site_id and b.file_name = added.file_name`,
  'drop index backup_due',
  `create index backup_verification on backup (backup_id) where verify_state in ('queued', 'running')`,
  'alter table backup drop column holder, drop column lease_until, drop column progress, drop column stage',
];

/** Backups are jobs: the lease, the progress and the stage are those of the job. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
