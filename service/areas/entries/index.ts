export { getContentPath, renewContent, storeContent } from './files/content.ts';
export { deleteOrphanFilesTask } from './files/delete-orphan-files.ts';
export { entryFileHandlers } from './files/handlers.ts';
export { entryQueryHandlers } from './query/handlers.ts';
export { entryHistoryHandlers } from './history/handlers.ts';
export { entryWriteHandlers } from './write/handlers.ts';
export { recalculateTask } from './write/recalculate.ts';
export { restoreEntries } from './history/restore.ts';
export { lockReferencedEntries } from './write/locks.store.ts';
