import { sql } from 'kysely';
import type { Database, Db } from '../db/database.ts';
import type { InstallationMetrics } from '../telemetry/metrics.ts';

/** The state of the installation, and how far the standby of this process is behind now. */
export async function loadMetrics({
  db,
  standby,
}: Pick<Database, 'db' | 'standby'>): Promise<InstallationMetrics> {
  const [metrics, measured] = await Promise.all([
    loadInstallationMetrics(db),
    standby?.measure().catch(() => ({ ...standby.status, isUsable: false })),
  ]);
  return { ...metrics, standby: measured };
}

/** Reads the queues, jobs, failures and lock waits of the installation in one statement. */
export async function loadInstallationMetrics(db: Db): Promise<InstallationMetrics> {
  const { rows } = await sql<InstallationMetrics>`
    with waiting as (
      select query_start from pg_stat_activity
      where application_name = 'steward' and datname = current_database() and wait_event_type = 'Lock')
    select (select count(*)::int from waiting) as "lockWaits",
      -- A statement can begin after this transaction.
      (select greatest(0, coalesce(extract(epoch from now() - min(query_start)), 0))::float8 from waiting) as "longestLockWaitSeconds",
      (select jsonb_agg(jsonb_build_object('queue', queue, 'length', length,
          'oldestSeconds', greatest(0, coalesce(extract(epoch from now() - due), 0)))) from (
        select 'jobs' as queue, count(*) as length, min(greatest(created_at, coalesce(not_before, created_at))) as due
          from job where state = 'waiting' and coalesce(not_before, created_at) <= now()
        union all select 'mail', count(*), min(created_at)
          from mail where sent_at is null and next_attempt_at < 'infinity'
        union all select 'calculations', count(*), min(queued_at) from calc_queue
        union all select 'backups', count(*), min(created_at)
          from backup where status = 'Queued' and deleted_at is null) q) as queues,
      (select coalesce(jsonb_agg(to_jsonb(j)), '[]') from (
        select kind, state, count(*)::int as count from job
        where state in ('uploading', 'waiting', 'running', 'paused') group by 1, 2) j) as jobs,
      (select coalesce(extract(epoch from now() - min(e.at)), 0)::float8
        from publication_destination d
        cross join lateral (select e.at from topic_event e
          where e.site_id = d.site_id and e.topic_id = d.topic_id and e.off >= d.next order by e.off limit 1) e
        where d.is_enabled) as "outboxLagSeconds",
      (select coalesce(jsonb_agg(to_jsonb(t)), '[]') from (
        select task, case when retry_at is null then 'parked' else 'retrying' end as state, count(*)::int as count
        from task_failure group by 1, 2) t) as tasks,
      (select count(*)::int from backup
        where (status = 'Failed' and failure_reason <> 'cancelled' and finished_at > now() - interval '1 day')
          or (verify_state = 'failed' and verify_at > now() - interval '1 day')) as "failedBackups"`.execute(
    db,
  );
  const [row] = rows;
  if (!row) throw new Error('The database returned no metrics');
  return row;
}
