/** Jobs: starting one for a request. */
export { getListedItems, requireUniqueUsers, startJob, toOwner, toUserItems } from './start.ts';
export { cancelJob, cancelJobOf } from './handlers.ts';
export { findFile } from './files.store.ts';
export { continuesDownload, toDownload, toFileResponse } from './files.ts';
export { createJobFileTasks } from './retention.ts';
