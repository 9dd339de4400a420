import { sql } from 'kysely';
import type { Job, JobItem, JobPace, JobReason, JobState } from '../../../contract/generated/types.gen.ts';
import { MAX_JOB_REASONS } from '../../../contract/rules/jobs.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';
import type { Page } from '../../kernel/db/list-page.ts';
import { ITEM_STATE_NAMES, ITEM_STATES, type ItemState } from '../../kernel/jobs/jobs.store.ts';

/** A job can be undone for this time after its end. */
const UNDO_HOURS = 24;

/** A job as the database returns it; `undoUntil` ignores whether its kind has an inverse. */
export type StoredJob = {
  [Key in keyof Job]: Key extends `${string}Date` | 'notBefore' | 'undoUntil'
    ? Exclude<Job[Key], string> | Date
    : Job[Key];
} & {
  /** The user for whom the owner acted; null if for nobody. */
  principalId: number | null;
};

/** SQL condition: the job waits for a rate limit or after a failure of the service. */
const IS_POSTPONED = sql<boolean>`(j.state in ('waiting', 'running') and j.retry_at > now())`;
/** Errors of the service are for its log. */
const SERVICE_FAILURE = 'The service failed and tries again';

const COLUMNS = sql`j.job_id as id, j.kind, j.title, j.state, j.owner_id as "ownerId",
  j.principal_id as "principalId", a.first_name || ' ' || a.last_name as "ownerName",
  j.total, j.done, j.unchanged, j.conflicts, j.failed, j.created_at as "createdDate", j.started_at as "startedDate",
  j.finished_at as "finishedDate", j.not_before as "notBefore", j.after_job_id as "afterJobId", j.inverse_of as "inverseOf",
  u.job_id as "inverseJobId", j.stop_reason as "stopReason", j.parameters,
  case when ${IS_POSTPONED} then j.retry_at end as "retryDate",
  case when ${IS_POSTPONED} then case when j.attempts = 0 then j.last_error else ${SERVICE_FAILURE} end end as "retryReason",
  (select json_build_object('name', f.name, 'mediaType', f.media_type, 'size', f.byte_count, 'sha256', encode(f.sha256, 'hex'),
    'rows', f.row_count, 'expiresDate', f.expires_at, 'isRemoved', f.removed_at is not null)
    from job_file f where f.site_id = j.site_id and f.job_id = j.job_id) as file,
  case when j.done > 0 and u.job_id is null and j.finished_at > now() - make_interval(hours => ${UNDO_HOURS})
    then j.finished_at + make_interval(hours => ${UNDO_HOURS}) end as "undoUntil"`;

const FROM = sql`job j
  left join membership m on m.site_id = j.site_id and m.user_id = j.owner_id
  left join account a on a.user_id = m.user_id
  left join lateral (select i.job_id from job i where i.site_id = j.site_id and i.inverse_of = j.job_id
    order by i.job_id desc limit 1) u on true`;

export interface JobFilter {
  /** Jobs that this user started, acting for the principal or for nobody; for `others` all other jobs. */
  userId: number;
  principalId: number | null;
  owner: 'own' | 'others' | 'all';
  state: JobState | undefined;
  /** Only jobs of these kinds. */
  kinds: readonly string[] | undefined;
}

/** A page of jobs, newest first. */
export async function listJobs(
  db: Db,
  siteId: number,
  { userId, principalId, owner, state, kinds }: JobFilter,
  page: Page,
): Promise<StoredJob[]> {
  const { rows } = await sql<StoredJob>`
    select ${COLUMNS} from ${FROM}
    where j.site_id = ${siteId}
      ${owner === 'all' ? sql`` : sql`and (j.owner_id = ${userId} and j.principal_id is not distinct from ${principalId}::int) is ${owner === 'others' ? sql`not` : sql``} true`}
      ${state === undefined ? sql`` : sql`and j.state = ${state}`}
      ${kinds === undefined ? sql`` : sql`and j.kind = any(${[...kinds]}::text[])`}
    order by j.job_id desc limit ${page.limit} offset ${page.offset}`.execute(db);
  return rows;
}

/** Whose jobs a stream follows, and since when it needs those that ended. */
export interface FollowedOwner {
  siteId: number;
  userId: number;
  principalId: number | null;
  since: Date;
}

/** Ended jobs that one reading returns for each owner. */
const MAX_ENDED = 100;

/** The jobs of owners that have not ended or ended since a time, in the order of their ids, and the time of the reading. */
export async function listFollowedJobs(
  db: Db,
  owners: readonly FollowedOwner[],
): Promise<{ readAt: Date; jobs: (StoredJob & { siteId: number })[] }> {
  const rows = owners.map(({ siteId, userId, principalId, since }) => ({
    site_id: siteId,
    owner_id: userId,
    principal_id: principalId,
    since,
  }));
  const clock = await sql<{ readAt: Date }>`select clock_timestamp()::timestamptz(3) as "readAt"`.execute(db);
  const followed = await sql<StoredJob & { siteId: number }>`
    with followed as (select o.site_id, found.job_id
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as o(site_id int, owner_id int, principal_id int, since timestamptz)
      cross join lateral (
        select k.job_id from job k where k.site_id = o.site_id and k.owner_id = o.owner_id
          and k.principal_id is not distinct from o.principal_id and k.finished_at is null
        union all
        (select k.job_id from job k where k.site_id = o.site_id and k.owner_id = o.owner_id
          and k.principal_id is not distinct from o.principal_id and k.finished_at > o.since
          order by k.finished_at desc limit ${MAX_ENDED})) found)
    select ${COLUMNS}, j.site_id as "siteId" from ${FROM}
    where (j.site_id, j.job_id) in (select site_id, job_id from followed) order by j.job_id`.execute(db);
  return { readAt: clock.rows[0]?.readAt ?? new Date(0), jobs: followed.rows };
}

export async function findJob(db: Db, siteId: number, jobId: number): Promise<StoredJob | undefined> {
  const { rows } = await sql<StoredJob>`
    select ${COLUMNS} from ${FROM} where j.site_id = ${siteId} and j.job_id = ${jobId}`.execute(db);
  return rows[0];
}

/** The job with its row locked until the transaction ends; waits for the running batch. */
export async function lockJob(tx: Tx, siteId: number, jobId: number): Promise<StoredJob | undefined> {
  await sql`select 1 from job where site_id = ${siteId} and job_id = ${jobId} for no key update`.execute(tx);
  return findJob(tx, siteId, jobId);
}

/** Changes the state of a job; the process that runs it notices at its next batch. */
export async function setState(
  tx: Tx,
  siteId: number,
  jobId: number,
  state: 'waiting' | 'paused' | 'cancelled',
): Promise<void> {
  await sql`update job set state = ${state}, lease_until = null, attempts = 0, retry_at = null, stage = null,
      finished_at = case when ${state} = 'cancelled' then clock_timestamp() end
    where site_id = ${siteId} and job_id = ${jobId}`.execute(tx);
}

/** Most steps of a pace. */
const PACE_STEPS = 60;

/** When the items of a job got their outcomes. */
export async function readPace(
  db: Db,
  { siteId, jobId }: { siteId: number; jobId: number },
): Promise<JobPace> {
  const { rows } = await sql<JobPace['steps'][number] & { first: Date; length: number }>`
    with span as (
      select min(ended_at) as first,
        greatest(1, ceil((extract(epoch from max(ended_at) - min(ended_at)) + 1) / ${PACE_STEPS}::int))::int as length
      from job_item where site_id = ${siteId} and job_id = ${jobId})
    select first, length, floor(extract(epoch from i.ended_at - first) / length)::int as step,
      (count(*) filter (where i.state in (${ITEM_STATES.done}, ${ITEM_STATES.unchanged})))::int as done,
      (count(*) filter (where i.state in (${ITEM_STATES.conflict}, ${ITEM_STATES.failed})))::int as failed
    from job_item i, span
    where i.site_id = ${siteId} and i.job_id = ${jobId} and i.ended_at is not null
    group by first, length, step order by step`.execute(db);
  const [begin] = rows;
  return {
    stepSeconds: begin?.length ?? 1,
    startDate: begin?.first.toISOString() ?? null,
    steps: rows.map(({ step, done, failed }) => ({ step, done, failed })),
  };
}

interface ItemRow {
  number: number;
  label: string | null;
  detail: string | null;
  state: number;
  reason: string | null;
  endedDate: Date | null;
  input: Record<string, unknown>;
  before: Record<string, unknown> | null;
}

/** Items that failed or were skipped have a reason, by which an index finds them among many others. */
const isInState = (state: ItemState | undefined) =>
  state === undefined
    ? sql``
    : sql`and state = ${ITEM_STATES[state]} ${state === 'failed' || state === 'conflict' ? sql`and reason is not null` : sql``}`;

const hasReason = (reason: string | undefined) =>
  reason === undefined ? sql`` : sql`and reason = ${reason}`;

/** SQL condition: the label or detail contains the text, ignoring letter case. */
const containsText = (text: string | undefined) =>
  text === undefined ? sql`` : sql`and strpos(fold(concat_ws(' ', label, detail)), fold(${text})) > 0`;

export interface ItemFilter {
  state: ItemState | undefined;
  reason: string | undefined;
  search: string | undefined;
}

/** A page of the items of a job in the order of the request. */
export async function listItems(
  db: Db,
  { siteId, jobId }: { siteId: number; jobId: number },
  filter: ItemFilter,
  page: Page,
): Promise<JobItem[]> {
  const { rows } = await sql<ItemRow>`
    select item_no as number, label, detail, state, reason, ended_at as "endedDate", input, before from job_item
    where site_id = ${siteId} and job_id = ${jobId} ${isInState(filter.state)} ${hasReason(filter.reason)}
      ${containsText(filter.search)}
    order by item_no limit ${page.limit} offset ${page.offset}`.execute(db);
  return rows.map((row) => ({
    ...row,
    state: ITEM_STATE_NAMES[row.state] ?? 'open',
    endedDate: row.endedDate?.toISOString() ?? null,
  }));
}

/** Why items failed or were skipped, the most frequent reason first. */
export async function listReasons(
  db: Db,
  { siteId, jobId }: { siteId: number; jobId: number },
): Promise<JobReason[]> {
  const { rows } = await sql<{ state: number; reason: string; count: number }>`
    select state, reason, count(*)::int as count from job_item
    where site_id = ${siteId} and job_id = ${jobId} and reason is not null
    group by state, reason order by count desc, reason limit ${MAX_JOB_REASONS}`.execute(db);
  return rows.map((row) => ({ ...row, state: ITEM_STATE_NAMES[row.state] ?? 'open' }));
}

/** An item as it was requested, with what it replaced. */
export interface EndedItem {
  itemNo: number;
  input: object;
  before: object | null;
}

/** Items that are held in memory at once. */
const ITEMS_PER_PAGE = 5_000;
/** Above the number of any item; as `cleared_to` it says that all items of the job are cleared. */
const AFTER_LAST_ITEM = 2_147_483_647;

/** The items in a state, in pages and in the order of the request, or from the last to the first. */
export async function* readItems(
  db: Db,
  { siteId, jobId }: { siteId: number; jobId: number },
  state: ItemState,
  isBackwards = false,
): AsyncGenerator<EndedItem[]> {
  for (let lastNumber: number | undefined; ;) {
    const isFurther = isBackwards
      ? sql`and item_no < ${lastNumber ?? AFTER_LAST_ITEM} order by item_no desc`
      : sql`and item_no > ${lastNumber ?? 0} order by item_no`;
    const { rows } = await sql<EndedItem>`
      select item_no as "itemNo", input, before from job_item
      where site_id = ${siteId} and job_id = ${jobId} ${isInState(state)} ${isFurther} limit ${ITEMS_PER_PAGE}`.execute(
      db,
    );
    if (rows.length > 0) yield rows;
    if (rows.length < ITEMS_PER_PAGE) return;
    lastNumber = rows.at(-1)?.itemNo;
  }
}

/** Sites that have jobs which ended more than `days` ago. */
export async function listSitesOfEndedJobs(db: Db, days: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select distinct site_id as id from job where finished_at < now() - make_interval(days => ${days})`.execute(
    db,
  );
  return rows.map(({ id }) => id);
}

/** Items changed by one statement: a job can have a million. */
const ROWS_PER_STEP = 5_000;

/** Deletes items of jobs that ended more than `days` ago, and jobs without items. @returns the number of deleted items */
export async function deleteEndedJobs(db: Db, siteId: number, days: number): Promise<number> {
  const { numAffectedRows = 0n } =
    await sql`delete from job_item where site_id = ${siteId} and (job_id, item_no) in (
    select i.job_id, i.item_no from job_item i join job j on j.site_id = i.site_id and j.job_id = i.job_id
    where i.site_id = ${siteId} and j.finished_at < now() - make_interval(days => ${days}) limit ${ROWS_PER_STEP})`.execute(
      db,
    );
  await sql`delete from job j where site_id = ${siteId} and finished_at < now() - make_interval(days => ${days})
    and not exists (select from job_item i where i.site_id = j.site_id and i.job_id = j.job_id)`.execute(db);
  return Number(numAffectedRows);
}

/**
 * Clears what the next items of a job that ended more than `days` ago requested and replaced; goes on behind the items that earlier
 * calls cleared.
 * @returns whether there was such a job
 */
export async function clearInputs(db: Db, siteId: number, days: number): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    with due as materialized (
      select job_id, cleared_to from job
      where site_id = ${siteId} and finished_at < now() - make_interval(days => ${days}) and cleared_to < ${sql.lit(AFTER_LAST_ITEM)}
      order by finished_at, job_id limit 1 for update skip locked),
    part as materialized (
      select i.job_id, i.item_no from job_item i join due on due.job_id = i.job_id
      where i.site_id = ${siteId} and i.item_no > due.cleared_to order by i.item_no limit ${ROWS_PER_STEP}),
    cleared as (
      update job_item i set input = '{}', before = null from part
      where i.site_id = ${siteId} and i.job_id = part.job_id and i.item_no = part.item_no)
    update job j set cleared_to =
      case when (select count(*) from part) < ${ROWS_PER_STEP} then ${sql.lit(AFTER_LAST_ITEM)} else (select max(item_no) from part) end
    from due where j.site_id = ${siteId} and j.job_id = due.job_id`.execute(db);
  return numAffectedRows > 0n;
}
