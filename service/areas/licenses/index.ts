export { licenseHandlers } from './handlers.ts';
