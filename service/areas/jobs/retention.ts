import { sql } from 'kysely';
import type { Db } from '../../kernel/db/database.ts';
import { createItemTask } from '../../kernel/jobs/run-in-turns.ts';
import type { ScheduledTask } from '../../kernel/jobs/scheduled-tasks.ts';

/** After this time the items of an ended job lose what was requested and replaced; outcomes and reasons stay for the report. */
export const INPUT_DAYS = 90;
/** After this time ended jobs are deleted. */
const JOB_DAYS = 365;
const DAY_MS = 86_400_000;
/** Items changed by one statement: a job can have a million. */
const ROWS_PER_STEP = 5_000;

/** Sites that have ended jobs older than `days`. */
async function listSites(db: Db, days: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select distinct site_id as id from job where finished_at < now() - make_interval(days => ${days})`.execute(
    db,
  );
  return rows.map(({ id }) => id);
}

/** Scheduled task that deletes ended jobs after a year, and what their items requested after 90 days. */
export function createJobRetentionTask({ db }: { db: Db }): ScheduledTask {
  return createItemTask(db, {
    name: 'job retention',
    intervalMs: DAY_MS,
    listItems: async () => (await listSites(db, INPUT_DAYS)).map((siteId) => ({ siteId, item: '' })),
    async runStep({ siteId }) {
      const deleted = await sql`delete from job_item where site_id = ${siteId} and (job_id, item_no) in (
        select i.job_id, i.item_no from job_item i join job j on j.site_id = i.site_id and j.job_id = i.job_id
        where i.site_id = ${siteId} and j.finished_at < now() - make_interval(days => ${JOB_DAYS}) limit ${ROWS_PER_STEP})`.execute(
        db,
      );
      await sql`delete from job j where site_id = ${siteId} and finished_at < now() - make_interval(days => ${JOB_DAYS})
        and not exists (select from job_item i where i.site_id = j.site_id and i.job_id = j.job_id)`.execute(
        db,
      );
      const cleared = await sql`update job_item i set input = '{}', before = null
        where site_id = ${siteId} and (job_id, item_no) in (
          select i.job_id, i.item_no from job_item i join job j on j.site_id = i.site_id and j.job_id = i.job_id
          where i.site_id = ${siteId} and j.finished_at < now() - make_interval(days => ${INPUT_DAYS}) and i.input <> '{}'
          limit ${ROWS_PER_STEP})`.execute(db);
      return Number(deleted.numAffectedRows ?? 0n) + Number(cleared.numAffectedRows ?? 0n) > 0;
    },
  });
}
