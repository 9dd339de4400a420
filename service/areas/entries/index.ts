export { contentPath, keepContent } from './content.ts';
export { entryFileHandlers } from './file-handlers.ts';
export { entryReadHandlers } from './handlers.ts';
export { entryPastHandlers } from './past-handlers.ts';
export { entryWriteHandlers } from './write-handlers.ts';
export { recalculation } from './recalculate.ts';
export { restoreEntries } from './restore.ts';
export { holdReferred } from './locks.store.ts';
