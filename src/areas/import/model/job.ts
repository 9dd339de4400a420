import type { QueryClient } from '@tanstack/react-query';
import { ServiceError, toServiceError } from '../../../api/errors.ts';
import { invalidateAfter } from '../../../api/invalidation.ts';
import { requireIdentity } from '../../../api/session-state.ts';
import type { SessionIdentity } from '../../../api/session-state.ts';
import { lockJob, unlockJob } from '../../../app/jobs/job-store.ts';
import type { Job } from '../../../app/jobs/jobs.ts';
import { upsertJob } from '../../../app/jobs/jobs.ts';
import type { ImportRowPlan } from '../../../files/import-plan/plan.ts';
import { createBatchRun } from '../../../lib/batch-run.ts';
import type { BatchRun } from '../../../lib/batch-run.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { loadExecutor } from './executor.ts';
import type { ImportExecutor } from './executor.ts';
import {
  createProgress,
  isFinished,
  saveImport,
  saveRowNotes,
  restoreProgress,
  deleteImport,
  loadImports,
} from './job-store.ts';
import type { ImportJob, RowNote, RowResult } from './job-store.ts';
import { saveFailed, saveReport } from './report.ts';
import { setImportRun, removeImportRun, countRows } from './run.ts';
import type { ImportRun } from './run.ts';

// Frequent enough to follow, rare enough not to slow down the page.
const REPORT_INTERVAL_MS = 100;
const SAVE_INTERVAL_NOTES = 50;

const ignoreErrors = () => undefined;

/** Whether a failed request may have been stored: no answer, or a server error. */
const mayHaveBeenStored = (thrown: unknown): boolean =>
  !(thrown instanceof ServiceError) || thrown.status === 0 || thrown.status >= 500;

/** Starts the confirmed import. It is stored first, so that an early reload loses nothing. */
export async function startImport(client: QueryClient, job: ImportJob): Promise<void> {
  await lockJob(job.id);
  // Without storage (private window, full disk) the import ends with its page.
  await saveImport(job).catch(ignoreErrors);
  createImportJob(client, job).goOn();
}

/** Runs an import in the browser; it can be paused and resumed. @param notes notes stored before a reload */
export function createImportJob(client: QueryClient, job: ImportJob, notes: readonly RowNote[] = []) {
  const { id, description, fileName, sheet, headings } = job;
  const rows = job.rows.map(({ plan }) => plan);
  const cells = new Map(job.rows.map((one) => [one.plan.row, one.cells]));
  const { results, progress } = restoreProgress(rows, notes);
  const createdIds = new Set([...results.values()].flatMap((one) => one.id ?? []));
  let current: BatchRun<readonly ImportRowPlan[]> | undefined;
  let isRunning = false;
  let isPaused = false;
  let lastReportAt = 0;
  let unsavedNotes: RowNote[] = [];

  const getRemaining = () => rows.filter(({ row }) => !isFinished(results.get(row)));
  const isUncertain = (row: number) =>
    progress.get(row)?.isUncertain === true && !isFinished(results.get(row));
  // Grows with every row that exists and every row that is finished.
  const countSteps = () => results.size + rows.length - getRemaining().length;

  function pause(): void {
    isPaused = true;
    current?.stop();
  }

  function report(state: Job['state'], error?: string): void {
    lastReportAt = performance.now();
    // A new object, so that subscribers see the grown results.
    const uncertainRows = new Set(
      state === 'running' ? [] : rows.flatMap(({ row }) => (isUncertain(row) ? [row] : [])),
    );
    const file = { fileName, sheet, headings };
    const snapshot = {
      id,
      description,
      ...file,
      state,
      rows,
      cells,
      results,
      uncertainRows,
      error,
      pause,
      resume,
    };
    setImportRun(snapshot);
    reportImport(snapshot);
  }

  /** Stores that rows are about to be sent: after a reload it would be unknown what the request created. */
  async function saveSending(
    batch: readonly ImportRowPlan[],
    lastIdBefore: number | undefined,
  ): Promise<void> {
    const sending = batch.map((plan): RowNote => {
      const rowProgress = progress.get(plan.row) ?? createProgress(plan);
      progress.set(plan.row, rowProgress);
      rowProgress.lastIdBefore ??= lastIdBefore;
      return { row: plan.row, sending: true, lastIdBefore: rowProgress.lastIdBefore };
    });
    await saveRowNotes(id, sending).catch(ignoreErrors);
  }

  function recordResult(row: number, result: RowResult): void {
    results.set(row, result);
    if (result.id !== undefined) createdIds.add(result.id);
    unsavedNotes.push({ row, result });
  }

  async function executeBatch(
    batch: readonly ImportRowPlan[],
    { execute }: ImportExecutor,
    lastIdBefore?: number,
  ): Promise<void> {
    requireIdentity(job.identity);
    await saveSending(batch, lastIdBefore);
    try {
      await execute({ rows: batch, progress, results, createdIds, report: recordResult });
    } catch (thrown) {
      for (const { row } of batch) {
        const rowProgress = progress.get(row);
        if (rowProgress && !isFinished(results.get(row)))
          rowProgress.isUncertain ||= mayHaveBeenStored(thrown);
      }
      throw thrown;
    } finally {
      // A refused row must not count as done after a reload.
      if (unsavedNotes.length >= SAVE_INTERVAL_NOTES || unsavedNotes.some(isUnsuccessful)) saveNotes();
    }
  }

  function saveNotes(): void {
    if (unsavedNotes.length > 0) void saveRowNotes(id, unsavedNotes).catch(ignoreErrors);
    unsavedNotes = [];
  }

  /** Executes the remaining rows until all are done, the import is paused, or the service fails. */
  async function executeAll(): Promise<void> {
    const executor = await loadExecutor(description);
    const lastIdBefore = await executor.getLastId?.();
    const error = await runRounds(executor, lastIdBefore);
    saveNotes();
    await Promise.all(executor.operations.map((effect) => invalidateAfter(client, effect)));
    if (error !== undefined) throw toServiceError(error);
  }

  /** Runs rounds while they make progress: rows that refer to other rows wait for a later round. */
  async function runRounds(executor: ImportExecutor, lastIdBefore: number | undefined): Promise<unknown> {
    // Also if it was paused while the executor was loading.
    if (isPaused) return undefined;
    const before = countSteps();
    const error = await runRound(executor, lastIdBefore);
    const isOver = error !== undefined || isPaused || getRemaining().length === 0 || countSteps() === before;
    return isOver ? error : runRounds(executor, lastIdBefore);
  }

  async function runRound(executor: ImportExecutor, lastIdBefore: number | undefined): Promise<unknown> {
    let error: unknown;
    const batchRun = createBatchRun(executor.splitIntoBatches(getRemaining()), {
      concurrency: executor.concurrency,
      action: (batch) => executeBatch(batch, executor, lastIdBefore),
      onStep() {
        error ??= batchRun.getOutcomes().at(-1)?.error;
        if (error !== undefined) batchRun.stop();
        if (performance.now() - lastReportAt > REPORT_INTERVAL_MS) report('running');
      },
    });
    current = batchRun;
    await batchRun.run();
    return error;
  }

  async function run(): Promise<void> {
    isPaused = false;
    report('running');
    const error = await executeAll().catch(toServiceError);
    isRunning = false;
    reportEnd(error?.message);
  }

  function reportEnd(error?: string): void {
    const failed = [...results.values()].some(({ result }) => result !== 'done');
    report(getRemaining().length > 0 ? 'stopped' : failed ? 'failed' : 'done', error);
  }

  function resume(): void {
    // A second click must not send the same rows twice.
    if (isRunning) return;
    isRunning = true;
    void run();
  }
  return { goOn: resume, showEnd: reportEnd };
}

const isUnsuccessful = (note: RowNote): boolean => 'result' in note && note.result.result !== 'done';

const ignoreError = () => undefined;

// A reload must not restore a discarded import.
async function deleteAndUnlock(id: string): Promise<void> {
  await deleteImport(id).catch(ignoreError);
  unlockJob(id);
}

/** Removes a finished or stopped import and its stored rows. */
export function closeImport(run: ImportRun): void {
  if (run.state === 'running') return;
  void deleteAndUnlock(run.id);
  removeImportRun(run.description.runKey);
  // It can no longer resume or export failed rows, but its report remains.
  upsertJob({ ...toJob(run), actions: [createReportAction(run)] });
}

const createReportAction = (run: ImportRun) => ({ label: 'Report', onSelect: () => saveReport(run) });

/** Describes an import for the job center, with the actions that fit its state. */
function toJob(run: ImportRun): Job {
  const { id, state, rows, error } = run;
  const { partly, failed, uncertain, finished } = countRows(run);
  const parts = [
    `${state === 'stopped' && error === undefined ? 'Paused at ' : ''}${formatNumber(finished)} of ${formatNumber(rows.length)}`,
    ...(partly > 0 ? [`${formatNumber(partly)} in part`] : []),
    ...(failed > 0 ? [`${formatNumber(failed)} failed`] : []),
    ...(uncertain > 0 ? [`${formatNumber(uncertain)} sent without an answer`] : []),
  ];
  const report = createReportAction(run);
  const again = { label: 'Failed rows', onSelect: () => saveFailed(run) };
  const actions = {
    running: [{ label: 'Pause', onSelect: run.pause }],
    stopped: [{ label: 'Continue', onSelect: run.resume }, report],
    done: [report],
    failed: [report, again],
  };
  return {
    id,
    title: `Import ${pluralize(rows.length, ...run.description.nouns)}`,
    state,
    progress: finished / rows.length,
    result: `${parts.join(', ')}${error === undefined ? '' : `: ${error}`}`,
    actions: actions[state],
    onClear: () => deleteAndUnlock(id),
  };
}

const reportImport = (run: ImportRun): void => upsertJob(toJob(run));

/**
 * Restores imports of entries that a reload interrupted, unless another tab runs them. Imports of people that the version before kept
 * are offered as a report.
 */
export async function restoreImports(client: QueryClient, identity: SessionIdentity): Promise<void> {
  for (const { job, notes } of await loadImports(identity)) {
    if (job.description.typeId === undefined) continue;
    if (await lockJob(job.id)) createImportJob(client, job, notes).showEnd();
  }
}
