export { tokenHandlers } from './handlers.ts';
