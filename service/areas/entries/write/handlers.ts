import type { Call, Handlers } from '../../../kernel/http/handler.ts';
import { deleteEntries, mergeEntries } from './delete-entries.ts';
import { writeEntries } from './write-entries.ts';

type WriteOperations = 'createEntries' | 'updateEntries' | 'deleteEntries' | 'mergeEntries';

/** Name of the task that calculates entries (calculate/recalculate.ts). */
export const RECALCULATE_TASK = 'recalculate';

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
  mergeEntries: (call) => respondAndRecalculate(call, mergeEntries(call)),
};
