import { setTimeout } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { ApiError } from '../api-error.ts';
import { change, createHostActor, getActor } from '../audit/change.ts';
import type { OperationRequirements } from '../auth/authorize.ts';
import type { Caller } from '../auth/caller.ts';
import { forEachBatch } from '../db/batches.ts';
import {
  isEmbedded,
  withRecordedWrites,
  withSite,
  withTransaction,
  type Db,
  type Tx,
} from '../db/database.ts';
import { isDatabaseUnavailable, isPassingFailure } from '../db/driver/errors.ts';
import { notify } from '../notifications.store.ts';
import { formatNumber } from '../numbers.ts';
import { getRetryDelayMs, MAX_ATTEMPTS } from '../tasks/backoff.ts';
import { describeError } from '../tasks/run-in-turns.ts';
import type { ScheduledTask } from '../tasks/scheduled-tasks.ts';
import type { Log } from '../telemetry/log.ts';
import {
  type BatchSelection,
  type BatchTurn,
  isProducing,
  isWorking,
  type ItemOutcome,
  type JobKind,
  type JobKinds,
} from './job-kind.ts';
import { getOrigin, JobStopped, loadOwner } from './job-owner.ts';
import * as store from './jobs.store.ts';
import { type FileOptions, produceFile } from './produce-file.ts';
import { runWork } from './run-work.ts';

/** Jobs that one process runs at the same time. */
const LANES = 3;
/** Longest delay of jobs started by other processes, of retries and of jobs that begin at a time. */
const POLL_INTERVAL_MS = 2_000;
/** A job gives way to others after this time. */
const TURN_MS = 2_000;
/** A transaction locks what it changes; other requests wait for it. */
const TARGET_BATCH_MS = 60;
/**
 * A batch may take this many times as long as reading the rights of its owner just before it. Where that takes long, on a busy machine or far
 * from the database, most of the time of a short batch is the same for any number of items.
 */
const BATCH_PER_OWNER_READ = 12;
/** The embedded database has one connection: every request waits for the whole batch. */
const EMBEDDED_BATCH_MS = 30;
/** Pause after a batch on the embedded database, in which a request that has waited sends its next statements. */
const EMBEDDED_PAUSE_MS = 4;
const FIRST_BATCH_ITEMS = 50;
const SMALL_BATCH_ITEMS = 100;
const SLOW_BATCH_MS = 400;
const MAX_BATCH_ITEMS = 1_000;
/** Outcomes per statement. */
const OUTCOMES_PER_WRITE = 10_000;

export interface JobContext {
  db: Db;
  log: Log;
  kinds: JobKinds;
  operations: readonly OperationRequirements[];
  /** Time after which other processes take over the jobs of one that does not renew its leases; by default a minute. */
  leaseSeconds?: number;
  /** Start of links in mails. */
  publicUrl: string;
  /** Runs a scheduled task now. */
  wakeTask?: (name: string) => void;
  /** Where files of jobs go; without it, jobs that make files are not run. */
  files?: FileOptions | undefined;
  /** Which kinds are run; by default all. */
  runs?: (kind: JobKind) => boolean;
}

/** What a lane remembers between its runs. */
interface LaneState {
  /** A job whose lease could not be released, because the database failed. */
  unreleased: store.ClaimedJob | undefined;
  /** Size of the next batch by job id; shared by the lanes of a process. */
  batchSizes: LRUCache<number, number>;
}

const MAX_BATCH_SIZES = 1_000;
const createLaneState = (batchSizes = new LRUCache<number, number>({ max: MAX_BATCH_SIZES })): LaneState => ({
  unreleased: undefined,
  batchSizes,
});

const LANE_NAMES = Array.from({ length: LANES }, (_, index) => `run-jobs-${index + 1}`);

/** Names of the tasks to wake when a job has been started. */
export const RUN_JOBS_TASKS: readonly string[] = LANE_NAMES;

/**
 * Scheduled tasks that run jobs; every process may have them. Only one lane makes files, which takes long and does not give way: changes
 * never wait for exports. The last lane is for work that takes still longer, such as backups, for which exports would wait.
 */
export function createJobTasks(context: JobContext): ScheduledTask[] {
  const { batchSizes } = createLaneState();
  return LANE_NAMES.map((name, index) => {
    const lane = createLaneState(batchSizes);
    const isLast = index === LANES - 1;
    const files = index === 0 || isLast ? context.files : undefined;
    const runs = (kind: JobKind) => isWorking(kind) === isLast;
    return {
      name,
      intervalMs: POLL_INTERVAL_MS,
      run: (signal) => runDueJobs({ ...context, files, runs }, signal, lane),
    };
  });
}

/**
 * Runs jobs turn by turn until none is due or the service stops, which ends the turn after the running batch.
 * @throws DbError when the database as a whole fails; that counts against no job
 */
export async function runDueJobs(
  context: JobContext,
  signal?: AbortSignal,
  lane = createLaneState(),
): Promise<void> {
  const { db, leaseSeconds, files, runs = () => true } = context;
  const kinds = [...context.kinds.values()]
    .filter(runs)
    .filter((kind) => !isProducing(kind) || files)
    .filter((kind) => !isWorking(kind) || files?.backupSheets)
    .map(({ kind }) => kind);
  // Without this the job would wait until its lease lapses.
  if (lane.unreleased) await store.releaseJob(db, lane.unreleased);
  lane.unreleased = undefined;
  while (!isStopping(signal)) {
    const job = await store.claimJob(db, kinds, leaseSeconds);
    if (!job) return;
    lane.unreleased = job;
    await runTurn(context, job, lane, signal);
    lane.unreleased = undefined;
  }
}

const isStopping = (signal: AbortSignal | undefined): boolean => signal?.aborted === true;

/** Runs batches of a claimed job until its end, its turn is over, or it was paused, cancelled or claimed by another process. */
async function runTurn(
  processContext: JobContext,
  job: store.ClaimedJob,
  { batchSizes }: LaneState,
  signal?: AbortSignal,
): Promise<void> {
  // What a job writes is written by the person who started it.
  const siteDb = withSite(processContext.db, job.siteId);
  const db = job.owner ? withRecordedWrites(siteDb, job.owner.userId) : siteDb;
  const context = { ...processContext, db };
  const { log } = context;
  const fields = { siteId: job.siteId, jobId: job.jobId, kind: job.kind };
  let size = batchSizes.get(job.jobId) ?? FIRST_BATCH_ITEMS;
  let { attempts } = job;
  try {
    await requireFinishedPredecessor(db, job);
    const kind = getKind(context, job);
    const { files } = context;
    if (isWorking(kind) && files?.backupSheets) {
      await runWork({ ...context, files: { ...files, backupSheets: files.backupSheets } }, job, kind, signal);
      return;
    }
    if (!store.isOwned(job)) throw new Error(`Jobs of the kind ${kind.kind} have an owner`);
    if (isProducing(kind) && files) {
      await produceFile({ ...context, files }, job, kind, signal);
      return;
    }
    if (!job.isChecked && !(await checkItems(context, kind, job, signal))) return;
    // A request takes what fits into it.
    if (kind.beginBatch && !batchSizes.has(job.jobId)) size = Infinity;
    const turnEnd = performance.now() + TURN_MS;
    while (!isStopping(signal) && performance.now() < turnEnd) {
      const startedAt = performance.now();
      const caller = await loadOwner(context, job, kind);
      const ownerMs = performance.now() - startedAt;
      const batch = await runBatch(context, kind, { ...job, attempts }, { caller, size });
      for (const task of kind.wakes ?? []) context.wakeTask?.(task);
      if (batch === 'ended') {
        batchSizes.delete(job.jobId);
        return;
      }
      if (typeof batch === 'object') size = Math.max(1, Math.floor(Math.min(size, batch.size) / 2));
      else {
        const targetMs = isEmbedded(db) ? EMBEDDED_BATCH_MS : getTargetMs(ownerMs);
        size = kind.beginBatch ? Infinity : getNextBatchSize(size, performance.now() - startedAt, targetMs);
        attempts = 0;
      }
      // Kept for the next turn: a refused batch that took the whole turn would otherwise be tried again as it was.
      batchSizes.set(job.jobId, size);
      if (isEmbedded(db)) await setTimeout(EMBEDDED_PAUSE_MS);
    }
    await store.releaseJob(db, job);
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error;
    attempts += 1;
    if (error instanceof JobStopped) {
      await stop(context, job, error);
      log.info({ ...fields, reason: error.message }, 'Job stopped');
    } else if (isRateLimit(error)) {
      const seconds = Number(error.headers['retry-after'] ?? 1);
      await store.waitForLimit(db, job, { reason: error.message, seconds });
      log.info({ ...fields, seconds }, 'Job waits for a rate limit');
    } else if (attempts >= MAX_ATTEMPTS && !isPassingFailure(error)) {
      await stop(
        context,
        job,
        new JobStopped('The service failed five times in a row. Its log has the reason.', { cause: error }),
      );
      log.error({ ...fields, err: error }, 'Job stopped after repeated failures');
    } else {
      await store.postponeJob(db, job, { error: describeError(error), delayMs: getRetryDelayMs(attempts) });
      log.warn({ ...fields, err: error }, 'Job failed and will be retried');
    }
  }
}

const isRateLimit = (error: unknown): error is ApiError => error instanceof ApiError && error.status === 429;

/**
 * Size of the next batch after one of `size` items took `ms`: a transaction shall take about `targetMs`. It at most doubles. Small
 * batches may take up to SLOW_BATCH_MS, because most of that time is the same for any number of items: on a busy machine they would
 * shrink to single items, each with the statements of a whole batch.
 */
export function getNextBatchSize(size: number, ms: number, targetMs = TARGET_BATCH_MS): number {
  const fitting = Math.round((size * targetMs) / Math.max(ms, 1));
  return Math.max(getSmallestSize(size, ms), Math.min(MAX_BATCH_ITEMS, size * 2, fitting));
}

/** Time that a transaction shall take after reading the rights of its owner took `ownerMs`. */
export const getTargetMs = (ownerMs: number): number =>
  Math.min(SLOW_BATCH_MS, Math.max(TARGET_BATCH_MS, ownerMs * BATCH_PER_OWNER_READ));

function getSmallestSize(size: number, ms: number): number {
  if (ms > SLOW_BATCH_MS) return 1;
  return Math.min(SMALL_BATCH_ITEMS, 2 * ms > SLOW_BATCH_MS ? size : 2 * size);
}

/** @throws JobStopped if the job on which this one waited did not finish */
async function requireFinishedPredecessor(db: Db, job: store.ClaimedJob): Promise<void> {
  if (job.afterJobId === null) return;
  const state = await store.getJobState(db, job.siteId, job.afterJobId);
  if (state !== 'finished')
    throw new JobStopped(`Job ${job.afterJobId}, after which this one was to run, did not finish`);
}

/**
 * Checks all items of a job that has not changed any yet. Invalid items fail; the job stops unless its request leaves them out. A check
 * that was interrupted starts again. Returns whether the job goes on in this turn.
 * @throws JobStopped when the owner may not continue
 */
async function checkItems(
  context: JobContext,
  kind: JobKind,
  job: store.OwnedJob,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const check = kind.startCheck?.(job.parameters);
  if (!check) return true;
  const { db } = context;
  const { ip, parameters, jobId, startedAt: jobStartedAt } = job;
  const lockedSiteId = kind.locksSite(parameters) ? job.siteId : undefined;
  const invalid: { itemNo: number; outcome: ItemOutcome }[] = [];
  let size = FIRST_BATCH_ITEMS;
  let checked = 0;
  for (let lastNo: number | undefined = 0; lastNo !== undefined;) {
    const startedAt = performance.now();
    const caller = await loadOwner(context, job, kind);
    const afterNo = lastNo;
    const batch = await withTransaction(db, { lockedSiteId }, async (tx) => {
      const isHeld = !isStopping(signal) && (await store.holdJob(tx, job, job.attempts)) !== undefined;
      if (!isHeld) return undefined;
      const open = await store.listOpenItems(tx, job, { ended: afterNo, limit: size });
      const items = open.map(({ input }) => input);
      const itemNumbers = open.map(({ itemNo }) => itemNo);
      const request = {
        tx,
        caller,
        ip,
        startedAt: jobStartedAt,
        parameters,
        jobId,
        items,
        itemNumbers,
        services: context,
      };
      const reasons = items.length > 0 ? await check.run(request) : [];
      return { open, reasons };
    });
    if (!batch) {
      await store.releaseJob(db, job);
      return false;
    }
    const { open, reasons } = batch;
    for (const [index, { itemNo }] of open.entries()) {
      const reason = reasons[index];
      if (reason !== undefined) invalid.push({ itemNo, outcome: { state: 'failed', reason } });
    }
    checked += open.length;
    lastNo = open.at(-1)?.itemNo;
    size = getNextBatchSize(size, performance.now() - startedAt);
  }
  if (invalid.length > 0 && !check.skipsInvalid) {
    const counts = `${formatNumber(invalid.length)} of ${formatNumber(checked)} items`;
    await stop(context, job, new JobStopped(`${counts} cannot be carried out, so none was`), invalid);
    return false;
  }
  return db.transaction().execute(async (tx) => {
    if ((await store.holdJob(tx, job)) === undefined) return false;
    await writeOutcomes(tx, job, invalid);
    await store.setChecked(tx, job, invalid.length);
    return true;
  });
}

const writeOutcomes = (
  tx: Tx,
  job: store.ClaimedJob,
  outcomes: readonly { itemNo: number; outcome: ItemOutcome }[],
): Promise<void> =>
  forEachBatch(outcomes, OUTCOMES_PER_WRITE, (batch) => store.writeOutcomes(tx, job, batch));

/** What became of a batch; with a size: a request of so many items, or any other batch, was refused as a whole and nothing was written. */
type BatchEnd = 'more' | 'ended' | { size: number };

/**
 * Changes the next items in one transaction with their outcomes, within a turn if the kind has them.
 * @param caller the owner with the rights of this moment
 * @throws ApiError 429 when a rate limit refuses the next item
 */
async function runBatch(
  context: JobContext,
  kind: JobKind,
  job: store.OwnedJob,
  { caller, size }: { caller: Caller; size: number },
): Promise<BatchEnd> {
  const { db } = context;
  const { jobId, parameters } = job;
  if (!kind.beginBatch || !(await store.hasOpenItems(db, job)))
    return changeItems(context, kind, job, { caller, size });
  const turn = await kind.beginBatch({ db, caller, parameters, jobId });
  try {
    return await changeItems(context, kind, job, { caller, size, turn });
  } finally {
    await turn.end();
  }
}

/** The next items of a job, those of one request if the kind has them. */
async function listBatch(
  tx: Tx,
  job: store.OwnedJob,
  { ended, size, selection }: { ended: number; size: number; selection: BatchSelection<object> | undefined },
): Promise<readonly store.OpenItem[]> {
  if (!selection) return store.listOpenItems(tx, job, { ended, limit: size });
  const items: store.OpenItem[] = [];
  for await (const { bytes, ...item } of store.readOpenItems(tx, job, ended)) {
    if (items.length >= size || !selection.takes(item.input, bytes)) break;
    items.push(item);
  }
  return items;
}

async function changeItems(
  context: JobContext,
  kind: JobKind,
  job: store.OwnedJob,
  { caller, size, turn }: { caller: Caller; size: number; turn?: BatchTurn<object> },
): Promise<BatchEnd> {
  let attempted: readonly store.OpenItem[] = [];
  try {
    return await change(
      context.db,
      getActor({ caller, origin: getOrigin(job) }),
      async (tx, record) => {
        const held = await store.holdJob(tx, job);
        if (!held) return 'ended';
        const selection = turn?.select();
        // A kind that begins its batches has no open item where it got no turn.
        const isDone = kind.beginBatch !== undefined && !turn;
        if (!isDone) await kind.lockInputs?.(tx, job.siteId);
        attempted = isDone ? [] : await listBatch(tx, job, { ended: held.ended, size, selection });
        if (attempted.length > 0) {
          const items = attempted.map(({ input }) => input);
          const itemNumbers = attempted.map(({ itemNo }) => itemNo);
          const { parameters, ip, jobId, startedAt } = job;
          const request = {
            tx,
            caller,
            ip,
            startedAt,
            parameters,
            jobId,
            items,
            itemNumbers,
            services: context,
          };
          const outcomes = await (selection ?? kind).run({ record, ...request });
          store.writeOutcomesLater(tx, job, pairOutcomes(attempted, outcomes), kind.forgetsInputs);
          if (held.ended + attempted.length < held.total) return 'more';
        }
        // Together with the last items, which may take away the right of the owner to continue.
        const ended = await store.endJob(tx, job);
        if (ended) await notifyOwner(tx, context.publicUrl, job, ended);
        record({ action: 'job.finish', subject: ['job', job.jobId], changes: { kind: [null, job.kind] } });
        return 'ended';
      },
      { lockSite: kind.locksSite(job.parameters) },
    );
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error;
    const [only, ...others] = attempted;
    if (!only) throw error;
    if (others.length > 0) return { size: turn ? attempted.length : size };
    if (isRateLimit(error)) throw error;
    // Something else held the rows; the item itself may be fine.
    if (isPassingFailure(error) && job.attempts + 1 < MAX_ATTEMPTS) throw error;
    context.log.warn({ err: error, jobId: job.jobId, itemNo: only.itemNo }, 'Item of a job failed');
    await recordRefusal(context.db, job, only, error);
    return 'more';
  }
}

function getKind(context: JobContext, job: store.ClaimedJob): JobKind {
  const kind = context.kinds.get(job.kind);
  if (!kind) throw new Error(`The kind ${job.kind} is not known to this version`);
  return kind;
}

/** @throws Error if the kind did not return one outcome for each item */
function pairOutcomes(items: readonly store.OpenItem[], outcomes: readonly ItemOutcome[]) {
  return items.map(({ itemNo }, index) => {
    const outcome = outcomes[index];
    if (!outcome || outcomes.length !== items.length)
      throw new Error(`${items.length} items have ${outcomes.length} outcomes`);
    return { itemNo, outcome };
  });
}

/** Records the refusal of a single item, which its own transaction could not, because it was rolled back. */
async function recordRefusal(
  db: Db,
  job: store.ClaimedJob,
  item: store.OpenItem,
  error: unknown,
): Promise<void> {
  await db.transaction().execute(async (tx: Tx) => {
    if ((await store.holdJob(tx, job)) !== undefined)
      await store.writeOutcomes(tx, job, [{ itemNo: item.itemNo, outcome: toOutcome(error) }]);
  });
}

/** The outcome of an item whose change was refused: conflicts are what someone else changed or removed in the meantime. */
function toOutcome(error: unknown): ItemOutcome {
  if (!(error instanceof ApiError))
    return { state: 'failed', reason: 'The service could not make this change' };
  const isConflict = error.status === 404 || error.status === 412;
  return { state: isConflict ? 'conflict' : 'failed', reason: error.message };
}

/** Stops a job for a reason, with outcomes of items; its audit row has no author, because no user did it. */
async function stop(
  context: JobContext,
  job: store.ClaimedJob,
  stopped: JobStopped,
  outcomes: readonly { itemNo: number; outcome: ItemOutcome }[] = [],
): Promise<void> {
  const reason = stopped.message;
  const { siteId, jobId, parameters } = job;
  await change(context.db, createHostActor(job.siteId), async (tx, record) => {
    if ((await store.holdJob(tx, job)) === undefined) return;
    await writeOutcomes(tx, job, outcomes);
    const ended = await store.endJob(tx, job, reason);
    if (!ended) return;
    const { publicUrl } = context;
    const unfinished = { tx, record, siteId, jobId, parameters, stop: stopped, publicUrl };
    const outcome = await context.kinds.get(job.kind)?.abandon?.(unfinished);
    await notifyOwner(tx, outcome?.isMailed ? undefined : publicUrl, job, ended, reason);
    record({ action: 'job.stop', subject: ['job', job.jobId], changes: { reason: [null, reason] } });
  });
}

/** Tells the owner how the job ended, without `publicUrl` not by mail; the success of a job with one item, which the owner usually watches, is no news. */
async function notifyOwner(
  tx: Tx,
  publicUrl: string | undefined,
  { siteId, jobId }: store.ClaimedJob,
  { ownerId, title, total, done, unchanged, conflicts, failed }: store.EndedJob,
  stopReason?: string,
): Promise<void> {
  const hasFailed = stopReason !== undefined || failed + conflicts > 0;
  if (ownerId === null || (total === 1 && !hasFailed)) return;
  const counts = [
    [done, 'changed'],
    [unchanged, 'unchanged'],
    [conflicts, 'skipped'],
    [failed, 'failed'],
  ] as const;
  const outcome = counts.flatMap(([count, word]) => (count > 0 ? `${formatNumber(count)} ${word}` : []));
  await notify(tx, publicUrl, {
    siteId,
    userIds: [ownerId],
    category: hasFailed ? 'jobFailed' : 'jobFinished',
    title,
    detail: [stopReason === undefined ? '' : `Stopped: ${stopReason}`, outcome.join(', ')]
      .filter(Boolean)
      .join('. '),
    path: `/jobs/${jobId}`,
  });
}
