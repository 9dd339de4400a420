export { viewHandlers } from './handlers.ts';
