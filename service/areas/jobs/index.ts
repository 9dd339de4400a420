/** Jobs: starting one for a request. */
export { getListedItems, requireUniqueUsers, startJob, toUserItems } from './start.ts';
