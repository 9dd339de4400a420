export { getContentPath, renewContent, storeContent } from './files/content.ts';
export { recalculateTask } from './calculate/recalculate.ts';
export { restoreEntries } from './history/restore.ts';
export { lockReferencedEntries } from './write/locks.store.ts';
export { createNamedEntries } from './write/create-named.ts';
export { entryHistoryHandlers } from './history/handlers.ts';
export { entryQueryHandlers } from './query/handlers.ts';
