import type { QueryClient } from '@tanstack/react-query';
import { invalidateAfter } from '../../api/invalidation.ts';
import { requireIdentity } from '../../api/session-state.ts';
import type { SessionIdentity } from '../../api/session-state.ts';
import { lockJob } from '../../app/jobs/job-store.ts';
import type { JobAction } from '../../app/jobs/jobs.ts';
import { removeFromDirectory } from '../../directory/directory.ts';
import { formatCsv } from '../../files/csv/csv.ts';
import { saveFile } from '../../files/download.ts';
import { createBatchRun } from '../../lib/batch-run.ts';
import { bulkRequest } from './bulk-request.ts';
import { OPERATION_BY_ACTION } from './dry-run.ts';
import { executeRequest } from './execute-request.ts';
import { createJobReporter } from './job-reporter.ts';
import { deleteBulkJob, saveBulkOutcomes, loadBulkJobs } from './job-store.ts';
import type { BulkJob } from './job-store.ts';
import type { Outcome, Result } from './outcome.ts';
import { getWorseOutcome } from './outcome.ts';
import type { PersonChange } from './person.ts';
import type { PlannedRequest } from './planned-requests.ts';
import { planRequests } from './planned-requests.ts';
import { formatChange } from './texts.ts';
import { formatUndoFile, buildUndoRequest } from './undo-file.ts';

const CONCURRENCY = 4;
// Outcomes that were not saved before a reload are determined again.
const SAVE_INTERVAL_OUTCOMES = 50;

const ignoreError = () => undefined;

/**
 * Runs a bulk change of users in the browser: several requests at a time; it can be stopped, resumed and discarded. An
 * error that does not concern a user (no answer, session expired, service unavailable) stops the job; the users of that
 * request remain to be done. @param previousOutcomes outcomes saved before a reload
 */
export function createBulkJob(client: QueryClient, job: BulkJob, previousOutcomes: readonly Outcome[] = []) {
  const jobResults = createJobResults(job.changes, previousOutcomes);
  const reporter = createJobReporter({
    id: job.id,
    title: job.title,
    total: job.changes.length,
    outcomes: jobResults.outcomes,
    getActions: createJobActions(job, jobResults.outcomes),
    deleteStored: deleteBulkJob,
    stop: () => (isStopped = true),
    resume: () => void run(),
  });
  let error: unknown;
  let isStopped = false;
  let unsavedOutcomes: Outcome[] = [];

  async function run(): Promise<void> {
    error = undefined;
    isStopped = false;
    reporter.report('running');
    // Groups are added before others are removed, so the phases run one after another.
    for (const phase of jobResults.startRound()) if (!isStopped) await runPhase(phase);
    saveUnsavedOutcomes();
    await invalidateAfter(client, OPERATION_BY_ACTION[job.action.kind]).catch(ignoreError);
    showEnd();
  }

  async function runPhase(requests: readonly PlannedRequest[]): Promise<void> {
    const batch = createBatchRun(requests, {
      concurrency: CONCURRENCY,
      action: execute,
      onStep() {
        if (isStopped) batch.stop();
        reporter.reportProgress();
      },
    });
    await batch.run();
  }

  async function execute(request: PlannedRequest): Promise<void> {
    const remaining = jobResults.removeRefused(request);
    try {
      requireIdentity(job.identity);
      const outcomes = remaining ? await executeRequest(remaining, job.identity.userId) : [];
      const finished = jobResults.record(request, outcomes);
      unsavedOutcomes.push(...finished);
      if (request.kind === 'remove')
        removeFromDirectory(
          client,
          finished.filter(isDone).map(({ userId }) => userId),
        );
    } catch (thrown) {
      error = thrown;
      isStopped = true;
      jobResults.postpone(request);
    }
    if (unsavedOutcomes.length >= SAVE_INTERVAL_OUTCOMES) saveUnsavedOutcomes();
  }

  // Without storage the job continues and ends with its page.
  function saveUnsavedOutcomes(): void {
    if (unsavedOutcomes.length > 0) void saveBulkOutcomes(job.id, unsavedOutcomes).catch(ignoreError);
    unsavedOutcomes = [];
  }

  const showEnd = () => reporter.reportEnd(jobResults.left().length, error);
  return { go: run, showEnd };
}

const isDone = ({ result }: Outcome) => result === 'done';

/** Actions of a job that does not run: report, undo, and a new dry run for unsuccessful users. */
function createJobActions(job: BulkJob, outcomes: ReadonlyMap<number, Outcome>): () => readonly JobAction[] {
  const slug = `${job.action.kind.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}-${job.confirmedAt.slice(0, 10)}`;
  return () => {
    const undoRequest = buildUndoRequest(job, outcomes);
    const unsuccessful = [...outcomes.values()].filter(
      ({ result }) => result === 'conflict' || result === 'failed',
    );
    const retry = { action: job.action, userIds: unsuccessful.map(({ userId }) => userId) };
    return [
      { label: 'Report', onSelect: () => saveFile(`${slug}.csv`, buildReport(job, outcomes)) },
      ...(unsuccessful.length > 0
        ? [{ label: 'Review failed', onSelect: () => bulkRequest.set(retry) }]
        : []),
      ...(undoRequest
        ? [
            { label: 'Undo', onSelect: () => bulkRequest.set(undoRequest) },
            {
              label: 'Save undo file',
              onSelect: () =>
                saveFile(`undo-${slug}.json`, formatUndoFile(job, undoRequest), 'application/json'),
            },
          ]
        : []),
    ];
  };
}

const getChanges = (call: PlannedRequest): readonly PersonChange[] =>
  'change' in call ? [call.change] : call.changes;
const isBad = (outcome: Outcome | undefined): outcome is Outcome =>
  outcome?.result === 'conflict' || outcome?.result === 'failed';

/** Outcomes of a job so far and the users that remain. */
function createJobResults(changes: readonly PersonChange[], previousOutcomes: readonly Outcome[]) {
  const outcomes = new Map(previousOutcomes.map((outcome) => [outcome.userId, outcome]));
  const postponed = new Set<number>();
  /**
   * Per round: number of requests still open for a user, and the worst outcome so far of users with several requests.
   */
  let openRequestCounts = new Map<number, number>();
  const partialOutcomes = new Map<number, Outcome>();

  const getRemaining = () => changes.filter(({ person }) => !outcomes.has(person.id));
  return {
    outcomes: outcomes as ReadonlyMap<number, Outcome>,
    left: getRemaining,
    /**
     * Plans the requests of a round for the remaining users. Postponed users come last, so that a user for whom the
     * service always fails does not block the others.
     */
    startRound(): PlannedRequest[][] {
      const rest = getRemaining();
      const parts = planRequests([
        ...rest.filter(({ person }) => !postponed.has(person.id)),
        ...rest.filter(({ person }) => postponed.has(person.id)),
      ]);
      postponed.clear();
      openRequestCounts = new Map();
      for (const { person } of parts.flat().flatMap(getChanges))
        openRequestCounts.set(person.id, (openRequestCounts.get(person.id) ?? 0) + 1);
      return parts;
    },
    /**
     * The request without users whose earlier request was refused: who was not added to one group is not removed from
     * another.
     */
    removeRefused(call: PlannedRequest): PlannedRequest | undefined {
      if ('change' in call) return isBad(partialOutcomes.get(call.change.person.id)) ? undefined : call;
      const rest = call.changes.filter(({ person }) => !isBad(partialOutcomes.get(person.id)));
      return rest.length === 0 ? undefined : { ...call, changes: rest };
    },
    /** Records the outcomes of a request. @returns the outcomes of users that are finished */
    record(call: PlannedRequest, newOutcomes: readonly Outcome[]): Outcome[] {
      for (const outcome of newOutcomes)
        partialOutcomes.set(outcome.userId, getWorseOutcome(partialOutcomes.get(outcome.userId), outcome));
      return getChanges(call).flatMap(({ person: { id } }) => {
        const rest = (openRequestCounts.get(id) ?? 1) - 1;
        openRequestCounts.set(id, rest);
        const outcome = partialOutcomes.get(id);
        if (rest > 0 || !outcome) return [];
        outcomes.set(id, outcome);
        return [outcome];
      });
    },
    postpone(call: PlannedRequest): void {
      for (const { person } of getChanges(call)) postponed.add(person.id);
    },
  };
}

const REPORT_HEADER = ['id', 'name', 'e-mail', 'before', 'after', 'result', 'reason', 'request id'];
const RESULT_LABELS: Record<Result, string> = {
  done: 'done',
  already: 'already set',
  conflict: 'skipped: changed in the meantime',
  failed: 'failed',
};

/** CSV report with one line per person. */
export function buildReport(job: BulkJob, outcomes: ReadonlyMap<number, Outcome>): string {
  const rows = job.changes.map((change) => {
    const { id, name, email } = change.person;
    const { before, after } = formatChange(change, job.names);
    const outcome = outcomes.get(id);
    const result = outcome ? RESULT_LABELS[outcome.result] : 'pending';
    return [id, name, email, before, after, result, outcome?.why ?? '', outcome?.requestId ?? ''];
  });
  return formatCsv([REPORT_HEADER, ...rows]);
}

/** Restores jobs that a reload interrupted, unless another tab runs them. */
export async function restoreBulkJobs(client: QueryClient, identity: SessionIdentity): Promise<void> {
  for (const { job, outcomes } of await loadBulkJobs(identity)) {
    if (await lockJob(job.id)) createBulkJob(client, job, outcomes).showEnd();
  }
}
