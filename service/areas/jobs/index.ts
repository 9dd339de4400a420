/** Jobs: starting one for a request. */
export { getListedItems, requireUniqueUsers, startJob, toUserItems } from './start.ts';
export { createJobFileTasks } from './retention.ts';
