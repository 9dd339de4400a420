import { toast } from '../../ui/feedback/toast.ts';
import type { BulkRequest } from './actions.ts';
import { bulkRequest } from './request.ts';
import type { BulkChoice } from './request.ts';

/** Opens the dry run of a change of many people; where it is agreed to, the change goes on as a job in the tray. */
export const openBulk = (request: BulkRequest): void => bulkRequest.set(request);

/** Asks for the license or the groups first, then opens the dry run. */
export const chooseBulk = (choice: BulkChoice): void => bulkRequest.set(choice);

/** Asks for an undo file and opens the dry run of what it undoes. */
export function openUndoFile(siteId: number): void {
  void import('./choose-undo-file.ts').then(
    ({ chooseUndoFile }) => chooseUndoFile(siteId),
    () => toast({ title: 'This could not be loaded', tone: 'bad' }),
  );
}
