export { groupHandlers } from './handlers.ts';
