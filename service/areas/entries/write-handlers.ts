import { ok, type Handlers } from '../../kernel/http/handler.ts';
import { deleteEntries, mergeEntries } from './remove.ts';
import { writeEntries } from './write.ts';

type Writes = 'createEntries' | 'updateEntries' | 'deleteEntries' | 'mergeEntries';

export const entryWriteHandlers: Handlers<Writes> = {
  createEntries: async (call) => ok(await writeEntries(call, { onlyNew: true })),
  updateEntries: async (call) => ok(await writeEntries(call, { onlyNew: false })),
  deleteEntries: async (call) => ok(await deleteEntries(call)),
  mergeEntries: async (call) => ok(await mergeEntries(call)),
};
