import type { Call, Handlers } from '../../../kernel/http/handler.ts';
import { RECALCULATE } from './recalculate.ts';
import { deleteEntries, mergeEntries } from './remove.ts';
import { restoreForAdministrator } from '../history/restore.ts';
import { writeEntries } from './write.ts';

type Writes = 'createEntries' | 'updateEntries' | 'deleteEntries' | 'mergeEntries' | 'restoreEntries';

/** What depends on written values is computed at once, in the background. */
async function andCalculate<T>(
  call: Pick<Call, 'services'>,
  written: Promise<T>,
): Promise<{ status: 200; body: T }> {
  const results = await written;
  call.services.wakeChore(RECALCULATE);
  return { status: 200, body: results };
}

export const entryWriteHandlers: Handlers<Writes> = {
  createEntries: (call) => andCalculate(call, writeEntries(call, { onlyNew: true })),
  updateEntries: (call) => andCalculate(call, writeEntries(call, { onlyNew: false })),
  deleteEntries: (call) => andCalculate(call, deleteEntries(call)),
  mergeEntries: (call) => andCalculate(call, mergeEntries(call)),
  restoreEntries: (call) => andCalculate(call, restoreForAdministrator(call)),
};
