import type { BulkRequest, BulkChoice } from './bulk-request.ts';
import { bulkRequest } from './bulk-request.ts';

/** Opens the dry run of a change of many users; once confirmed, the change runs as a job. */
export const openBulk = (request: BulkRequest): void => bulkRequest.set(request);

/** Asks for the license or the groups first, then opens the dry run. */
export const chooseBulk = (choice: BulkChoice): void => bulkRequest.set(choice);

export type { BulkRequest } from './bulk-request.ts';
export { changeColumns, ReadingProgress } from './dry-run-parts.tsx';
export type { UserGroupPair } from './bulk-request.ts';
