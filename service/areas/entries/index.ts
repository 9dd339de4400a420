export { entryReadHandlers } from './handlers.ts';
export { entryWriteHandlers } from './write-handlers.ts';
