export { ACTIVITY_LOG_RETENTION_DAYS, createActivityTasks } from './scheduled-tasks.ts';
export { activityHandlers } from './handlers.ts';
