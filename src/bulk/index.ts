import type { BulkRequest } from './actions.ts';
import { bulkRequest } from './request.ts';

/** Opens the dry run of a change of many people; where it is agreed to, the change goes on as a job in the tray. */
export const openBulk = (request: BulkRequest): void => bulkRequest.set(request);
