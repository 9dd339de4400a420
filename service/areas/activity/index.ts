export { ACTIVITY_KEPT_DAYS, activityChores } from './chores.ts';
export { activityHandlers } from './handlers.ts';
