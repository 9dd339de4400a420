import { sql } from 'kysely';
import type { Db } from '../../kernel/db/database.ts';
import type { Step } from '../../kernel/http/steps.ts';

/** A step of a request that has been answered. */
export interface AnsweredStep extends Step {
  status: number;
}

/** Writes the step of a write that is about to be done. */
export async function beginStep(db: Db, step: Step): Promise<number> {
  const { rows } = await sql<{ step_id: number }>`
    with counted as (update acting_report set steps = steps + 1, last_step_at = clock_timestamp()
      where site_id = ${step.siteId} and report_id = ${step.reportId})
    insert into acting_step (site_id, report_id, at, operation_id, summary, subject, is_write)
    values (${step.siteId}, ${step.reportId}, ${step.at}, ${step.operationId}, ${step.summary}, ${step.subject}, true)
    returning step_id`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('An inserted step is there');
  return row.step_id;
}

/** Notes how writes ended. */
export async function endSteps(db: Db, ended: ReadonlyMap<number, number>): Promise<void> {
  await sql`update acting_step s set status = e.status
    from unnest(${[...ended.keys()]}::bigint[], ${[...ended.values()]}::int[]) as e(step_id, status)
    where s.step_id = e.step_id`.execute(db);
}

/** Writes steps that changed nothing, in one statement with the counts of their reports. */
export async function writeSteps(db: Db, steps: readonly AnsweredStep[]): Promise<void> {
  const list = <K extends keyof AnsweredStep>(key: K) => steps.map((step) => step[key]);
  await sql`with given as (
      select * from unnest(${list('siteId')}::int[], ${list('reportId')}::int[], ${list('at')}::timestamptz[],
        ${list('operationId')}::text[], ${list('summary')}::text[], ${list('subject')}::text[], ${list('isWrite')}::boolean[], ${list('status')}::int[])
      as g(site_id, report_id, at, operation_id, summary, subject, is_write, status)),
    counted as (update acting_report r set steps = r.steps + g.n, last_step_at = clock_timestamp()
      from (select site_id, report_id, count(*)::int as n from given group by site_id, report_id) g
      where r.site_id = g.site_id and r.report_id = g.report_id)
    insert into acting_step (site_id, report_id, at, operation_id, summary, subject, is_write, status)
    select site_id, report_id, at, operation_id, summary, subject, is_write, status from given`.execute(db);
}
