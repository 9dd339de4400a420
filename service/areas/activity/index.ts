export { ACTIVITY_LOG_RETENTION_DAYS } from './scheduled-tasks.ts';
