export { contentPath, keepContent } from './files/content.ts';
export { entryFileHandlers } from './files/file-handlers.ts';
export { entryReadHandlers } from './query/handlers.ts';
export { entryPastHandlers } from './history/past-handlers.ts';
export { entryWriteHandlers } from './write/write-handlers.ts';
export { recalculation } from './write/recalculate.ts';
export { restoreEntries } from './history/restore.ts';
export { holdReferred } from './write/locks.store.ts';
