/**
 * Jobs that bring existing entries in line with a changed schema: filling slots and entry_text, clearing values of
 * deleted fields, recalculating. Each batch is a transaction that also saves the progress, so a restart loses nothing and
 * several processes share the work. Writers maintain the same columns for the entries that they write, so an entry is
 * correct whether it is written before or after its batch.
 */
import { type Db, type Tx, withTransaction } from '../../kernel/db/database.ts';
import { createItemTask } from '../../kernel/tasks/run-in-turns.ts';
import type { ScheduledTask } from '../../kernel/tasks/scheduled-tasks.ts';
import * as store from './field-jobs.store.ts';
import type { FieldJob } from './field-jobs.store.ts';
import { lockSchemaShared } from './schema-cache.store.ts';
import { renewSchemaStamp } from './schema.store.ts';
import type { SiteSchema } from './schema.ts';

/** Runs one batch of a job. @returns whether the job has more batches */
const runBatch = (db: Db, job: FieldJob): Promise<boolean> =>
  withTransaction(db, {}, async (tx) => {
    const schema = await lockSchemaShared(tx, job.siteId);
    const current = await store.lockJob(tx, job);
    return current !== undefined && BATCH_HANDLERS[current.job](tx, current, schema);
  });

/** Saves the progress of a job, or deletes the finished job. @returns whether it has more batches */
async function saveProgress(tx: Tx, job: FieldJob, afterId: number | undefined): Promise<boolean> {
  if (afterId === undefined) await store.deleteJob(tx, job);
  else await store.saveJobProgress(tx, job, afterId);
  return afterId !== undefined;
}

type BatchHandler = (tx: Tx, job: FieldJob, schema: SiteSchema) => Promise<boolean>;

const BATCH_HANDLERS: Readonly<Record<FieldJob['job'], BatchHandler>> = {
  async slot(tx, job, schema) {
    const field = schema.fieldsById.get(job.fieldId);
    // The field may have lost its slot or been deleted since the job was queued.
    if (!field?.slot) return saveProgress(tx, job, undefined);
    const afterId = await store.fillSlot(tx, job, field);
    if (afterId === undefined) await markReady(tx, job, 'slot_state');
    return saveProgress(tx, job, afterId);
  },

  async search(tx, job, schema) {
    const field = schema.fieldsById.get(job.fieldId);
    if (!field?.isSearchable) return (await store.clearSearch(tx, job)) || saveProgress(tx, job, undefined);
    const afterId = await store.fillSearch(tx, job, field);
    if (afterId === undefined) await markReady(tx, job, 'search_state');
    return saveProgress(tx, job, afterId);
  },

  async calculate(tx, job) {
    return saveProgress(tx, job, await store.queueCalculations(tx, job));
  },

  async clear(tx, job) {
    const afterId = await store.clearValues(tx, job);
    if (afterId !== undefined) return saveProgress(tx, job, afterId);
    if ((await store.clearMulti(tx, job)) || (await store.clearSearch(tx, job))) return true;
    // Deletes the job with the field, and frees the slot for another field.
    await store.deleteFieldRow(tx, job);
    return false;
  },
};

async function markReady(tx: Tx, job: FieldJob, state: 'slot_state' | 'search_state'): Promise<void> {
  await store.markReady(tx, job, state);
  renewSchemaStamp(tx, job.siteId);
}

/**
 * Upper bound of one run in milliseconds, so that a shutdown does not wait for a million entries; the next run
 * continues.
 */
const MAX_RUN_MS = 2_000;

/** Scheduled task that runs the queued field jobs batch by batch, the sites in turns. */
export const createFieldJobsTask = ({ db }: { db: Db }): ScheduledTask =>
  createItemTask(db, {
    name: store.FIELD_JOBS_TASK,
    intervalMs: 10_000,
    maxRunMs: MAX_RUN_MS,
    listItems: async () => (await store.listJobs(db)).map((job) => ({ ...job, item: store.getJobItem(job) })),
    runStep: (job, _signal, siteDb) => runBatch(siteDb, job),
  });
