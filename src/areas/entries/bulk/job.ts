import type { QueryClient } from '@tanstack/react-query';
import type { FieldValue } from '../../../../contract/generated/types.gen.ts';
import { formatCsv } from '../../../../contract/rules/tables/csv.ts';
import { invalidateAfter } from '../../../api/invalidation.ts';
import { requireIdentity } from '../../../api/session-state.ts';
import type { SessionIdentity } from '../../../api/session-state.ts';
import { lockJob } from '../../../app/jobs/job-store.ts';
import type { JobAction } from '../../../app/jobs/jobs.ts';
import { saveFile } from '../../../files/download.ts';
import { createBatchRun } from '../../../lib/batch-run.ts';
import { splitIntoChunks } from '../../../lib/chunks.ts';
import { createJobReporter } from '../../bulk/index.ts';
import type { Schema } from '../model/schema.ts';
import { loadSchema } from '../model/schema.ts';
import { toRequestValue } from '../model/values.ts';
import { executeChanges } from './execute-changes.ts';
import type { Outcome } from './execute-changes.ts';
import { deleteEntryJob, saveEntryOutcomes, loadEntryJobs } from './execute-changes.ts';
import type { EntryJob } from './execute-changes.ts';
import type { EntryChange, Refusal } from './plan.ts';
import { buildInverse } from './plan.ts';
import { openEntryBulk } from './request.ts';
import { formatUndoFile } from './undo-file.ts';

const CONCURRENCY = 2;
const BATCH_SIZE = 200;

const ignoreError = () => undefined;

/**
 * Runs a change of many entries in batches; it can be stopped, resumed and discarded. An error that does not concern an
 * entry stops it. @param previousOutcomes outcomes saved before a reload
 */
export function createEntryJob(
  client: QueryClient,
  job: EntryJob,
  loadCurrentSchema: () => Promise<Schema>,
  previousOutcomes?: readonly Outcome[],
) {
  const outcomes = new Map(previousOutcomes?.map((outcome) => [outcome.entryId, outcome]));
  const reporter = createJobReporter({
    id: job.id,
    title: job.title,
    total: job.changes.length,
    outcomes,
    getActions: createJobActions(job, outcomes),
    deleteStored: deleteEntryJob,
    stop: () => (isStopped = true),
    resume: () => void run(),
  });
  // After a reload it is unknown which requests were stored without an answer.
  const possiblyStoredIds = new Set(previousOutcomes && job.changes.map(({ entryId }) => entryId));
  let error: unknown;
  let isStopped = false;

  const getRemaining = () => job.changes.filter(({ entryId }) => !outcomes.has(entryId));

  async function run(): Promise<void> {
    error = undefined;
    isStopped = false;
    reporter.report('running');
    try {
      const fields = (await loadCurrentSchema()).getFields(job.typeId);
      const batchRun = createBatchRun(splitIntoChunks(getRemaining(), BATCH_SIZE), {
        concurrency: CONCURRENCY,
        action: async (batch) => {
          const mayBeStored = batch.some(({ entryId }) => possiblyStoredIds.has(entryId));
          await execute(batch, { typeId: job.typeId, fields, mayBeStored });
        },
        onStep() {
          if (isStopped) batchRun.stop();
          reporter.reportProgress();
        },
      });
      await batchRun.run();
    } catch (thrown) {
      error = thrown;
    }
    await invalidateAfter(client, 'updateEntries').catch(ignoreError);
    reportEnd();
  }

  async function execute(
    batch: readonly EntryChange[],
    target: Parameters<typeof executeChanges>[1],
  ): Promise<void> {
    try {
      requireIdentity(job.identity);
      const newOutcomes = await executeChanges(batch, target);
      for (const outcome of newOutcomes) outcomes.set(outcome.entryId, outcome);
      // Without storage the job continues and ends with its page.
      await saveEntryOutcomes(job.id, newOutcomes).catch(ignoreError);
    } catch (thrown) {
      for (const { entryId } of batch) possiblyStoredIds.add(entryId);
      error = thrown;
      isStopped = true;
    }
  }

  const reportEnd = () => reporter.reportEnd(getRemaining().length, error);
  return { go: run, showEnd: reportEnd };
}

/** Restores jobs that a reload interrupted, unless another tab runs them. */
export async function restoreEntryJobs(client: QueryClient, identity: SessionIdentity): Promise<void> {
  for (const { job, outcomes } of await loadEntryJobs(identity)) {
    // Few jobs, restored in the order in which they were started.
    if (await lockJob(job.id)) createEntryJob(client, job, () => loadSchema(client), outcomes).showEnd();
  }
}

const RESULT_LABELS: Record<Outcome['result'], string> = {
  done: 'done',
  already: 'already set',
  conflict: 'skipped: changed in the meantime',
  failed: 'failed',
};
const REPORT_HEADER = ['entry id', 'name', 'result', 'reason', 'request id', 'before', 'after'];
const REFUSED_HEADER = ['entry id', 'name', 'reason'];

/** Formats a value with ids, readable by programs. */
const formatPlainValue = (value: FieldValue | undefined): string => {
  const { value: written, currencyCode } = toRequestValue(value);
  const text = [written ?? ''].flat().join('; ');
  return currencyCode === undefined ? text : `${text} ${currencyCode}`;
};

/** CSV report with one line per entry. */
export function buildReport({ changes, refused }: EntryJob, outcomes: ReadonlyMap<number, Outcome>): string {
  const rows = changes.map(({ entryId, name, cells }) => {
    const outcome = outcomes.get(entryId);
    return [
      entryId,
      name,
      outcome ? RESULT_LABELS[outcome.result] : 'pending',
      outcome?.why ?? '',
      outcome?.requestId ?? '',
      cells.map(({ before }) => formatPlainValue(before)).join(' | '),
      cells.map(({ after }) => formatPlainValue(after)).join(' | '),
    ];
  });
  const refusedRows = refused.map(({ entryId, name, why }) => [entryId, name, 'left out', why, '', '', '']);
  return formatCsv([REPORT_HEADER, ...rows, ...refusedRows]);
}

/** CSV of refused entries with the reasons. */
export const buildRefusedReport = (refused: readonly Refusal[]): string =>
  formatCsv([REFUSED_HEADER, ...refused.map(({ entryId, name, why }) => [entryId, name, why])]);

/** Actions of a job that does not run: report, failed entries, undo. */
function createJobActions(job: EntryJob, outcomes: ReadonlyMap<number, Outcome>): () => readonly JobAction[] {
  const slug = `edit-${job.typeName.toLowerCase()}-${job.confirmedAt.slice(0, 10)}`;
  return () => {
    const of = (results: readonly Outcome['result'][]) =>
      job.changes.filter(({ entryId }) => results.includes(outcomes.get(entryId)?.result ?? 'already'));
    const bad = of(['failed', 'conflict']).map(({ entryId, name }) => ({
      entryId,
      name,
      why: outcomes.get(entryId)?.why ?? '',
    }));
    const done = of(['done']);
    const back = { typeId: job.typeId, scope: { ids: done.map(({ entryId }) => entryId) } };
    return [
      { label: 'Report', onSelect: () => saveFile(`${slug}.csv`, buildReport(job, outcomes)) },
      ...(bad.length > 0
        ? [
            {
              label: 'Failed entries',
              onSelect: () => saveFile(`failed-${slug}.csv`, buildRefusedReport(bad)),
            },
          ]
        : []),
      ...(done.length > 0
        ? [
            { label: 'Undo', onSelect: () => openEntryBulk({ ...back, edit: buildInverse(done) }) },
            {
              label: 'Save undo file',
              onSelect: () => saveFile(`undo-${slug}.json`, formatUndoFile(job, done), 'application/json'),
            },
          ]
        : []),
    ];
  };
}
