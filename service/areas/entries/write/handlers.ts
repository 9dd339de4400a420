import type { Call, Handlers } from '../../../kernel/http/handler.ts';
import { startJob } from '../../jobs/index.ts';
import { deleteEntries, mergeEntries } from './delete-entries.ts';
import { planEntryDeletions, planEntryUpdates } from './job-kinds.ts';
import { RECALCULATE_TASK, writeEntries } from './write-entries.ts';

type WriteOperations =
  | 'createEntries'
  | 'updateEntries'
  | 'deleteEntries'
  | 'mergeEntries'
  | 'startEntryUpdates'
  | 'startEntryDeletions';

/** Responds with the results of a write and starts the recalculation of dependent values in the background. */
export async function respondAndRecalculate<T>(
  call: Pick<Call, 'services'>,
  written: Promise<T>,
): Promise<{ status: 200; body: T }> {
  const results = await written;
  call.services.wakeTask(RECALCULATE_TASK);
  return { status: 200, body: results };
}

export const entryWriteHandlers: Handlers<WriteOperations> = {
  createEntries: (call) => respondAndRecalculate(call, writeEntries(call, { onlyNew: true })),
  updateEntries: (call) => respondAndRecalculate(call, writeEntries(call, { onlyNew: false })),
  deleteEntries: (call) => respondAndRecalculate(call, deleteEntries(call)),
  startEntryDeletions: async (call) => startJob(call, await planEntryDeletions(call)),
  startEntryUpdates: async (call) => startJob(call, await planEntryUpdates(call)),
  mergeEntries: (call) => respondAndRecalculate(call, mergeEntries(call)),
};
