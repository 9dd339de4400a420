import { sql } from 'kysely';
import type { Db } from '../../kernel/db/database.ts';

interface DatabaseState {
  /** Version of PostgreSQL. */
  version: string;
  sizeBytes: number;
  /** Bytes of the files of all sites. */
  filesBytes: number;
}

export async function readDatabaseState(db: Db): Promise<DatabaseState> {
  const { rows } = await sql<DatabaseState>`
    select split_part(current_setting('server_version'), ' ', 1) as version,
      pg_database_size(current_database()) as "sizeBytes",
      (select coalesce(sum(used_bytes), 0)::bigint from site_storage) as "filesBytes"`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('The database did not describe itself');
  return row;
}

interface BackupSummary {
  newestAt: Date | null;
  verification: 'queued' | 'running' | 'passed' | 'failed' | null;
  sites: number;
  sitesWithoutRecent: number;
}

/** The newest backup of any site, and how many sites have none of the last week that holds the whole site. */
export async function summarizeBackups(db: Db): Promise<BackupSummary> {
  const { rows } = await sql<BackupSummary>`
    with newest as (select finished_at, verify_state from backup
      where status = 'Ready' and deleted_at is null order by finished_at desc limit 1)
    select (select finished_at from newest) as "newestAt", (select verify_state from newest) as verification,
      count(*)::int as sites, (count(*) filter (where not exists (
        select from backup b where b.site_id = s.site_id and b.status = 'Ready' and b.type_ids is null
          and b.deleted_at is null and b.finished_at > now() - interval '7 days')))::int as "sitesWithoutRecent"
    from site s`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('The backups were not counted');
  return row;
}
