export { entryReadHandlers } from './handlers.ts';
