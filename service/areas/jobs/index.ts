/** Jobs: starting one for a request. */
export { requireUniqueUsers, startJob, toUserItems } from './start.ts';
