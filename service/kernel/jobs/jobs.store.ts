import { type RawBuilder, sql } from 'kysely';
import type { Scope } from '../../../contract/generated/types.gen.ts';
import { forEachBatch } from '../db/batches.ts';
import { type Db, executeLater, type Tx } from '../db/database.ts';
import type { JobState } from '../db/tables/jobs.ts';
import { createLeases } from '../tasks/leases.store.ts';
import type { ItemLabels } from './item-labels.store.ts';
import type { ItemOutcome, StoredItems, WorkProgress } from './job-kind.ts';

/**
 * A process that has not renewed its lease for this time is considered dead. A batch may take longer: its transaction locks the row of the
 * job, which claims skip.
 */
const LEASE_SECONDS = 60;
/** Numbers of item states in the database. */
const ITEM_STATES = { open: 0, done: 1, unchanged: 2, conflict: 3, failed: 4 } as const;
export type ItemState = keyof typeof ITEM_STATES;
const ITEM_STATE_NAMES = Object.keys(ITEM_STATES) as ItemState[];

/** Jobs of a site that run at the same time, and jobs of one person that run or wait. */
export const JOB_LIMITS = { runningPerSite: 2, runningPerPerson: 2, waitingPerPerson: 20 } as const;

/** Who started a job, with the rights of that request. */
export interface JobOwner {
  userId: number;
  principalId: number | null;
  reportId: number | null;
  scopes: Scope[] | null;
  isProven: boolean;
  isFederated: boolean;
}

/** A claimed job. Its writes compare `fence` with the row, so that only the last process that claimed it can write. */
export interface ClaimedJob {
  siteId: number;
  jobId: number;
  kind: string;
  fence: number;
  parameters: object;
  requestId: string;
  /** Empty for a job of the service itself. */
  ip: string;
  /** Undefined for a job of the service itself. */
  owner: JobOwner | undefined;
  attempts: number;
  startedAt: Date;
  afterJobId: number | null;
  leaseSeconds: number;
  /** Whether all items were checked before the first change (`JobKind.startCheck`). */
  isChecked: boolean;
}

/** A job that a user started. */
export type OwnedJob = ClaimedJob & { owner: JobOwner };

export const isOwned = (job: ClaimedJob): job is OwnedJob => job.owner !== undefined;

interface JobRow {
  site_id: number;
  job_id: number;
  kind: string;
  fence: number;
  parameters: object;
  request_id: string;
  ip: string;
  owner_id: number | null;
  principal_id: number | null;
  report_id: number | null;
  scopes: Scope[] | null;
  is_proven: boolean;
  is_federated: boolean;
  attempts: number;
  started_at: Date;
  after_job_id: number | null;
  is_checked: boolean;
}

const toClaimedJob = (row: JobRow, leaseSeconds: number): ClaimedJob => ({
  siteId: row.site_id,
  jobId: row.job_id,
  kind: row.kind,
  fence: row.fence,
  parameters: row.parameters,
  requestId: row.request_id,
  ip: row.ip,
  owner:
    row.owner_id === null
      ? undefined
      : {
          userId: row.owner_id,
          principalId: row.principal_id,
          reportId: row.report_id,
          scopes: row.scopes,
          isProven: row.is_proven,
          isFederated: row.is_federated,
        },
  attempts: row.attempts,
  startedAt: row.started_at,
  afterJobId: row.after_job_id,
  leaseSeconds,
  isChecked: row.is_checked,
});

/** Advisory lock under which jobs are claimed; its first key is that of no other lock of the service. */
const CLAIM_LOCK = sql`pg_advisory_xact_lock(7402, 0)`;
/** First key of the advisory locks of users who start jobs; the second is the id of the user. */
const OWNER_LOCK_KEY = 7_403;

const leases = createLeases();

/** Minutes for which the turn of a job that has ended counts for its site. A site without a later one has waited longest. */
const TURN_MINUTES = 10;
/** Jobs of which a claim takes the first that no other transaction has locked. */
const MAX_CANDIDATES = 20;

/**
 * Claims the job whose turn it is: sites and owners below their limits, of the site whose last turn is longest ago the job that has
 * waited longest since its own, so that a site with many jobs gets no more turns than one with few. Claims run one after another, so
 * that two processes cannot exceed a limit together. Jobs of kinds that only another version knows take no place of their owner. All
 * times are those of the database, so the clocks of the processes may differ. Returns undefined if no job is due.
 */
export function claimJob(
  db: Db,
  kinds: readonly string[],
  leaseSeconds = LEASE_SECONDS,
): Promise<ClaimedJob | undefined> {
  return db.transaction().execute(async (tx) => {
    await sql`select ${CLAIM_LOCK}`.execute(tx);
    const { rows } = await sql<JobRow>`
      update job set state = 'running', ${leases.claim(leaseSeconds)},
        last_turn_at = clock_timestamp(), started_at = coalesce(started_at, now())
      where job_id = (
        select j.job_id from job j join (
          select * from (
            select *, max(last_turn_at) over (partition by site_id) as site_turn_at,
              count(*) filter (where is_running and is_held) over (partition by site_id) as site_running,
              count(*) filter (where is_running and is_known) over (partition by site_id, owner_id) as owner_running
            from (
              select o.job_id, o.site_id, o.owner_id, o.after_job_id, o.last_turn_at, true as is_open, ${leases.isHeld('o')} as is_held,
                o.state = 'running' as is_running, o.kind = any(${[...kinds]}::text[]) as is_known,
                coalesce(greatest(o.not_before, o.retry_at) <= now(), true) as is_due
              from job o where o.state in ('waiting', 'running')
              union all
              select e.job_id, e.site_id, e.owner_id, null, e.last_turn_at, false, false, false, false, false
              from job e where e.finished_at > now() - make_interval(mins => ${TURN_MINUTES})) recent) turn
          where is_open and not is_held and is_known and is_due and site_running < ${JOB_LIMITS.runningPerSite}
            and (is_running or owner_running < ${JOB_LIMITS.runningPerPerson})
            and coalesce((select a.state not in ('uploading', 'waiting', 'running', 'paused') from job a
              where a.site_id = turn.site_id and a.job_id = turn.after_job_id), true)
          order by site_turn_at nulls first, last_turn_at nulls first, job_id limit ${MAX_CANDIDATES}) next on next.job_id = j.job_id
        where j.state in ('waiting', 'running') and not ${leases.isHeld('j')}
        order by next.site_turn_at nulls first, next.last_turn_at nulls first, next.job_id
        for update of j skip locked limit 1)
      returning site_id, job_id, kind, fence, parameters, request_id, ip, owner_id, principal_id, report_id, scopes, is_proven,
        is_federated, attempts, started_at, after_job_id, refused is not null as is_checked`.execute(tx);
    const [row] = rows;
    return row && toClaimedJob(row, leaseSeconds);
  });
}

/** The job of a claim as SQL condition: it still runs and no other process has claimed it. */
const isClaim = ({ siteId, jobId, fence }: ClaimedJob) =>
  sql<boolean>`site_id = ${siteId} and job_id = ${jobId} and ${leases.isUnclaimedSince(fence)} and state = 'running'`;

/**
 * Locks the row of a claimed job until the transaction ends and renews the lease. Returns how many of its items have an outcome, without
 * those that the check refused, or undefined if the job was paused, cancelled or claimed by another process: then this transaction
 * must not write. `attempts`: failed attempts to count; a batch that is written ends them.
 */
export async function holdJob(
  tx: Tx,
  job: ClaimedJob,
  attempts = 0,
): Promise<{ ended: number; total: number } | undefined> {
  const { rows } = await sql<{ ended: number; total: number }>`
    update job set ${leases.renew(job.leaseSeconds)}, attempts = ${attempts}, retry_at = null
    where ${isClaim(job)}
    returning done + unchanged + conflicts + failed - coalesce(refused, 0) as ended, total - coalesce(refused, 0) as total`.execute(
    tx,
  );
  return rows[0];
}

/**
 * Renews the lease of a job without items and stores its progress. Returns false if the job was paused, cancelled or claimed by another
 * process.
 */
export async function renewLease(
  db: Db,
  job: ClaimedJob,
  { done, total, stage = null }: Omit<WorkProgress, 'stage'> & { stage?: string | null },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update job set ${leases.renew(job.leaseSeconds)}, done = ${done}, total = ${total},
      stage = ${stage}
    where ${isClaim(job)}`.execute(db);
  return numAffectedRows === 1n;
}

/** Files of jobs are removed after this time unless their kind keeps them longer. */
const FILE_DAYS = 7;

export interface NewFile {
  name: string;
  mediaType: string;
  size: number;
  sha256: Buffer;
  rows: number;
  keptDays?: number;
}

/** Stores the file of a job in the transaction that ends the job. */
export async function insertFile(
  tx: Tx,
  { siteId, jobId, fence }: ClaimedJob,
  { name, mediaType, size, sha256, rows, keptDays = FILE_DAYS }: NewFile,
): Promise<void> {
  await tx
    .insertInto('job_file')
    .values({
      site_id: siteId,
      job_id: jobId,
      fence,
      name,
      media_type: mediaType,
      size,
      byte_count: size,
      sha256,
      row_count: rows,
      expires_at: sql<Date>`now() + make_interval(days => ${keptDays})`,
    })
    .execute();
}

/** State of a job on which another waits; undefined if it was deleted. */
export async function getJobState(db: Db, siteId: number, jobId: number): Promise<JobState | undefined> {
  const row = await db
    .selectFrom('job')
    .select('state')
    .where('site_id', '=', siteId)
    .where('job_id', '=', jobId)
    .executeTakeFirst();
  return row?.state;
}

export interface OpenItem {
  itemNo: number;
  input: object;
}

/**
 * The first open items of a job. Items get their outcomes in order, so those before have one: without `ended`, their number, every batch
 * would read the index entries of all batches before, which an open snapshot keeps.
 */
export async function listOpenItems(
  tx: Tx,
  { siteId, jobId }: ClaimedJob,
  { ended, limit }: { ended: number; limit: number },
): Promise<OpenItem[]> {
  const { rows } = await sql<OpenItem>`
    select item_no as "itemNo", input from job_item
    where site_id = ${siteId} and job_id = ${jobId} and item_no > ${ended} and state = 0
    order by item_no limit ${limit}`.execute(tx);
  return rows;
}

/** Items of one reading, and about how many bytes they may have as they are stored. */
const MAX_PAGE_ITEMS = 1_000;
const PAGE_BYTES = 512 * 1024;

/** The next open items in pages for kinds with large items: a page has at least one item and not many bytes. */
export async function* readOpenItems(
  tx: Tx,
  { siteId, jobId }: ClaimedJob,
  ended: number,
): AsyncGenerator<OpenItem & { bytes: number }> {
  for (let lastNo: number | undefined = ended; lastNo !== undefined;) {
    // The size as it is stored is known without reading the item.
    const { rows }: { rows: (OpenItem & { bytes: number })[] } = await sql<OpenItem & { bytes: number }>`
      select item_no as "itemNo", input, octet_length(input::text) as bytes from (
        select item_no, input, sum(pg_column_size(input)) over (order by item_no) - pg_column_size(input) as before from (
          select item_no, input from job_item
          where site_id = ${siteId} and job_id = ${jobId} and item_no > ${lastNo} and state = 0
          order by item_no limit ${MAX_PAGE_ITEMS}) as next) as sized
      where before < ${PAGE_BYTES} order by item_no`.execute(tx);
    yield* rows;
    lastNo = rows.at(-1)?.itemNo;
  }
}

/** Whether this process still holds the job, and an item of it has no outcome. */
export async function hasOpenItems(db: Db, job: ClaimedJob): Promise<boolean> {
  const { rows } =
    await sql`select from job where ${isClaim(job)} and done + unchanged + conflicts + failed < total`.execute(
      db,
    );
  return rows.length > 0;
}

/** SQL assignment: items that failed or were skipped keep what was requested, so that they can be tried again. */
const FORGOTTEN_INPUT = sql`input = case when x.s in (${sql.lit(ITEM_STATES.done)}, ${sql.lit(ITEM_STATES.unchanged)})
  then '{}' else i.input end`;

/** An item with its outcome. */
interface EndedItem {
  itemNo: number;
  outcome: ItemOutcome;
}

/** Stores the outcomes of items and adds them to the counts of the job; `forgetsInputs` as in JobKind. */
function createOutcomeUpdate(
  { siteId, jobId }: ClaimedJob,
  outcomes: readonly EndedItem[],
  forgetsInputs = false,
): RawBuilder<unknown> {
  const rows = outcomes.map(({ itemNo, outcome }) => ({
    n: itemNo,
    s: ITEM_STATES[outcome.state],
    r: 'reason' in outcome ? outcome.reason : null,
    b: 'before' in outcome ? outcome.before : null,
  }));
  // The range keeps the statement from reading all items of the job where the database has no statistics of them.
  const numbers = outcomes.map(({ itemNo }) => itemNo);
  const [first, last] = [Math.min(...numbers), Math.max(...numbers)];
  const count = (state: ItemState) => outcomes.filter(({ outcome }) => outcome.state === state).length;
  return sql`
    with written as (
      update job_item i set state = x.s, reason = x.r, before = x.b, ended_at = clock_timestamp()${forgetsInputs ? sql`, ${FORGOTTEN_INPUT}` : sql``}
      from json_to_recordset(${JSON.stringify(rows)}::json) as x(n int, s smallint, r text, b json)
      where i.site_id = ${siteId} and i.job_id = ${jobId} and i.item_no = x.n
        and i.item_no between ${first}::int and ${last}::int)
    update job set done = done + ${count('done')}, unchanged = unchanged + ${count('unchanged')},
      conflicts = conflicts + ${count('conflict')}, failed = failed + ${count('failed')}
    where site_id = ${siteId} and job_id = ${jobId}`;
}

/** Stores the outcomes of items and adds them to the counts of the job. */
export async function writeOutcomes(tx: Tx, job: ClaimedJob, outcomes: readonly EndedItem[]): Promise<void> {
  await createOutcomeUpdate(job, outcomes).execute(tx);
}

/** The same with the next statement of the transaction or its commit: the rows of a batch may still be on their way to the database. */
export function writeOutcomesLater(
  tx: Tx,
  job: ClaimedJob,
  outcomes: readonly EndedItem[],
  forgetsInputs = false,
): void {
  executeLater(createOutcomeUpdate(job, outcomes, forgetsInputs), tx);
}

/** Stores that all items of a job were checked before the first change, and how many were refused. */
export async function setChecked(tx: Tx, { siteId, jobId }: ClaimedJob, refused: number): Promise<void> {
  await sql`update job set refused = ${refused} where site_id = ${siteId} and job_id = ${jobId}`.execute(tx);
}

/** A job that has just ended. */
export interface EndedJob {
  ownerId: number | null;
  title: string;
  total: number;
  done: number;
  unchanged: number;
  conflicts: number;
  failed: number;
}

/** Ends a claimed job: all items are done, or it cannot continue for `stopReason`. */
export async function endJob(tx: Tx, job: ClaimedJob, stopReason?: string): Promise<EndedJob | undefined> {
  const { rows } = await sql<EndedJob>`
    update job set state = ${stopReason === undefined ? 'finished' : 'stopped'}, stop_reason = ${stopReason ?? null},
      finished_at = clock_timestamp(), ${leases.end}, stage = null
    where ${isClaim(job)}
    returning owner_id as "ownerId", title, total, done, unchanged, conflicts, failed`.execute(tx);
  return rows[0];
}

/** Ends the turn of a claimed job, so that other jobs get theirs. */
export async function releaseJob(db: Db, job: ClaimedJob): Promise<void> {
  await sql`update job set ${leases.end}, last_turn_at = clock_timestamp() where ${isClaim(job)}`.execute(db);
}

/**
 * Ends the leases of processes that died, so that their jobs go on at once. Only for a database that no other process uses: the
 * embedded one, before this process claims jobs.
 */
export async function endAllLeases(db: Db): Promise<void> {
  await sql`update job set ${leases.end} where lease_until is not null`.execute(db);
}

/** Ends the turn after an error of the service: the job is tried again after a delay. */
export async function postponeJob(
  db: Db,
  job: ClaimedJob,
  { error, delayMs }: { error: string; delayMs: number },
): Promise<void> {
  await sql`update job set ${leases.end}, last_turn_at = clock_timestamp(), attempts = attempts + 1, last_error = ${error},
      retry_at = now() + make_interval(secs => ${delayMs / 1_000})
    where ${isClaim(job)}`.execute(db);
}

/**
 * Ends the turn at a rate limit: the job waits for its end, and other jobs of the owner may run meanwhile. `reason` is shown to the
 * owner: `last_error` of a job without failed attempts.
 */
export async function waitForLimit(
  db: Db,
  job: ClaimedJob,
  { reason, seconds }: { reason: string; seconds: number },
): Promise<void> {
  await sql`update job set state = 'waiting', ${leases.end}, last_turn_at = clock_timestamp(), attempts = 0,
      last_error = ${reason}, retry_at = clock_timestamp() + make_interval(secs => ${seconds})
    where ${isClaim(job)}`.execute(db);
}

export interface NewJob {
  kind: string;
  title: string;
  /** `uploading`: the items follow in parts. */
  state: 'waiting' | 'uploading';
  parameters: object;
  /** Ids of the rows of an export, in their order. */
  selectedIds?: readonly number[] | undefined;
  siteId: number;
  owner: ClaimedJob['owner'];
  /** Empty for a job of the service itself. */
  ip: string;
  requestId: string;
  inverseOf?: number | undefined;
  afterJobId?: number | undefined;
  notBefore?: Date | undefined;
}

/** Stores a job without items; it is claimed once the transaction is committed. Returns its id. */
export async function insertJob(tx: Tx, job: NewJob): Promise<number> {
  const { job_id: jobId } = await tx
    .insertInto('job')
    .values({
      site_id: job.siteId,
      kind: job.kind,
      title: job.title,
      state: job.state,
      owner_id: job.owner?.userId ?? null,
      principal_id: job.owner?.principalId ?? null,
      report_id: job.owner?.reportId ?? null,
      scopes: job.owner?.scopes ?? null,
      is_proven: job.owner?.isProven ?? false,
      is_federated: job.owner?.isFederated ?? false,
      ip: job.ip,
      request_id: job.requestId,
      parameters: JSON.stringify(job.parameters),
      selected_ids: job.selectedIds ? [...job.selectedIds] : null,
      total: 0,
      inverse_of: job.inverseOf ?? null,
      after_job_id: job.afterJobId ?? null,
      not_before: job.notBefore ?? null,
    })
    .returning('job_id')
    .executeTakeFirstOrThrow();
  return jobId;
}

/** Identifies a job. */
export interface JobKey {
  siteId: number;
  jobId: number;
}

/** Ids of the rows that were selected for an export; undefined if nothing was selected. */
export async function readSelection(db: Db, { siteId, jobId }: JobKey): Promise<number[] | undefined> {
  const row = await db
    .selectFrom('job')
    .select('selected_ids')
    .where('site_id', '=', siteId)
    .where('job_id', '=', jobId)
    .executeTakeFirst();
  return row?.selected_ids ?? undefined;
}

/** Items that one statement inserts. */
const ITEMS_PER_INSERT = 20_000;

/** Adds items to a job, given as the text of a JSON list; the first gets the number `firstItem`. */
export async function insertItems(
  tx: Tx,
  { siteId, jobId }: JobKey,
  { labels, json, firstItem }: { labels: ItemLabels; json: string; firstItem: number },
): Promise<void> {
  await sql`insert into job_item (site_id, job_id, item_no, input, label, detail)
    select ${siteId}, ${jobId}, ${firstItem - 1}::int + item.ordinality, item.value, ${labels.label}, ${labels.detail}
    from json_array_elements(${json}::json) with ordinality as item
    ${labels.join(siteId)}`.execute(tx);
}

/** Adds items to a job that has `count` items. Returns how many it has then. */
export async function insertAllItems(
  tx: Tx,
  key: JobKey,
  { labels, items, count = 0 }: { labels: ItemLabels; items: readonly object[]; count?: number },
): Promise<number> {
  await forEachBatch(items, ITEMS_PER_INSERT, (batch, offset) =>
    insertItems(tx, key, { labels, json: JSON.stringify(batch), firstItem: count + offset + 1 }),
  );
  return count + items.length;
}

/** Stores what a job asks in words, and the number of its items. */
export async function setTitle(
  tx: Tx,
  { siteId, jobId }: JobKey,
  { title, total }: { title: string; total: number },
): Promise<void> {
  await sql`update job set title = ${title}, total = ${total} where site_id = ${siteId} and job_id = ${jobId}`.execute(
    tx,
  );
}

const MAX_DISTINCT = 1_000;

/** The items of a stored job for its title. */
export const getStoredItems = (tx: Tx, { siteId, jobId }: JobKey, length: number): StoredItems<object> => ({
  length,
  async listDistinct(...names) {
    const properties = names.map((name: string) => sql`${name}::text, input -> ${name}::text`);
    const { rows } = await sql<{ value: object }>`
      select distinct jsonb_build_object(${sql.join(properties)}) as value from job_item
      where site_id = ${siteId} and job_id = ${jobId} limit ${MAX_DISTINCT}`.execute(tx);
    return rows.map(({ value }) => value);
  },
  async countWith(name: string) {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from job_item
      where site_id = ${siteId} and job_id = ${jobId} and input -> ${name}::text is not null`.execute(tx);
    return rows[0]?.count ?? 0;
  },
});

/**
 * Number of jobs of a person that are uploaded, wait, run or are paused. Until the transaction ends, no other one counts the jobs of this person, so
 * that two requests cannot exceed a limit together.
 */
export async function countOpenJobs(tx: Tx, siteId: number, userId: number): Promise<number> {
  await sql`select pg_advisory_xact_lock(${OWNER_LOCK_KEY}::int, ${userId}::int)`.execute(tx);
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from job
    where site_id = ${siteId} and owner_id = ${userId} and state in ('uploading', 'waiting', 'running', 'paused')`.execute(
    tx,
  );
  return rows[0]?.count ?? 0;
}

export { ITEM_STATE_NAMES, ITEM_STATES };
