import { isUnreachable, ServiceError } from '../../../api/errors.ts';
import { deleteEntries, updateEntries } from '../../../api/generated/sdk/entry-writes.gen.ts';
import { useWrite } from '../../../api/write.ts';
import { pluralize } from '../../../lib/numbers.ts';
import { toast } from '../../../ui/toast.ts';
import {
  markStored,
  getChangeSet,
  markDeleted,
  markRefused,
  markSending,
  stageInverse,
} from './change-set-store.ts';
import type { SentRequest } from './change-set-store.ts';
import { getStagedCells } from './change-set.ts';
import type { StagedCell, StagedDeletion } from './change-set.ts';
import { persistChanges } from './persist-changes.ts';
import {
  getSendState,
  updateSendState,
  useSendState,
  parseDeletionResults,
  getNewIds,
  parseRequestErrors,
  buildStoreRequests,
} from './send.ts';
import type { SendFailure, RequestErrors } from './send.ts';

interface StoreInput {
  cells: readonly StagedCell[];
  ignoreNearDups: boolean;
}

const NO_REQUEST_ERRORS: RequestErrors = {
  cellErrors: new Map(),
  conflicts: [],
  isOnlyNearDuplicate: false,
  otherErrors: [],
};

function announceSent(stored: SentRequest | undefined, deletedCount: number, typeId: number): void {
  const results = [
    stored && `Saved ${pluralize(stored.cells.length, 'change', 'changes')}`,
    deletedCount > 0 && `${stored ? 'deleted' : 'Deleted'} ${pluralize(deletedCount, 'entry', 'entries')}`,
  ];
  const hasChanged = stored?.cells.some(({ entryId }) => entryId > 0) === true;
  toast({
    title: results.filter(Boolean).join(', '),
    tone: 'ok',
    ...(deletedCount > 0 &&
      hasChanged && { description: 'Undo stages the old values. Deleted entries stay deleted.' }),
    ...(hasChanged && { action: { label: 'Undo', onSelect: () => stageInverse(typeId, stored) } }),
  });
}

/** Records the request before it is sent, so that a reload during the request shows that its outcome is unknown. */
function markUnconfirmed(typeId: number, part: SendFailure['part'], cells: readonly StagedCell[]): void {
  const newEntryIds = new Set(cells.flatMap(({ entryId }) => (entryId < 0 ? [entryId] : [])));
  markSending(typeId, { sentAt: Date.now(), part, newEntryIds: [...newEntryIds] });
  void persistChanges();
}

/** The error the service answered with; undefined without an answer, so that the request stays unconfirmed. */
function getAnswer(thrown: unknown): ServiceError | undefined {
  if (!(thrown instanceof ServiceError)) throw thrown;
  return isUnreachable(thrown) ? undefined : thrown;
}

/**
 * Sends the changes of a type: the values in one atomic request, then the deletions. Values can be reverted and
 * deletions cannot, so nothing is deleted unless the values were stored.
 */
export function useSend(typeId: number) {
  const { isPending, failure } = useSendState(typeId);
  const storing = useWrite('updateEntries', {
    mutationFn: ({ cells, ignoreNearDups }: StoreInput) =>
      updateEntries({
        path: { entryTypeId: String(typeId) },
        body: { storeRequests: buildStoreRequests(cells, ignoreNearDups) },
      }),
  });
  const deleting = useWrite('deleteEntries', {
    mutationFn: (body: number[]) => deleteEntries({ path: { entryTypeId: String(typeId) }, body }),
  });
  const fail = (next: Partial<SendFailure> & Pick<SendFailure, 'part'>) =>
    updateSendState(typeId, {
      failure: { message: '', errors: NO_REQUEST_ERRORS, savedCount: 0, deletedCount: 0, ...next },
    });
  const store = async (cells: readonly StagedCell[], ignoreNearDups: boolean) => {
    markUnconfirmed(typeId, 'values', cells);
    try {
      const { data } = await storing.mutateAsync({ cells, ignoreNearDups });
      return markStored(typeId, cells, getNewIds(data, cells));
    } catch (thrown) {
      const answer = getAnswer(thrown);
      if (!answer) return undefined;
      const errors = parseRequestErrors(answer, cells);
      markRefused(typeId, errors.cellErrors);
      fail({ part: 'values', message: answer.fields.length === 0 ? answer.message : '', errors });
      return undefined;
    }
  };
  /** Returns the number of deleted entries; undefined if the request failed or any deletion was refused. */
  const remove = async (deletions: readonly StagedDeletion[], savedCount: number) => {
    markUnconfirmed(typeId, 'deletions', []);
    try {
      const { data } = await deleting.mutateAsync(deletions.map(({ entryId }) => entryId));
      const { deleted, errors } = parseDeletionResults(data, deletions);
      markDeleted(typeId, deleted);
      if (errors.size === 0) return deleted.length;
      markRefused(typeId, errors);
      fail({ part: 'deletions', savedCount, deletedCount: deleted.length });
    } catch (thrown) {
      const answer = getAnswer(thrown);
      if (!answer) return undefined;
      markRefused(typeId);
      const message = [answer.message, ...answer.fields.map((field) => field.message)].join('. ');
      fail({ part: 'deletions', message, savedCount });
    }
    return undefined;
  };
  const sendAll = async (ignoreNearDups: boolean): Promise<boolean> => {
    const changes = getChangeSet(typeId);
    // Invalid input has no value to send; the review blocks sending while there is any.
    const cells = getStagedCells(changes).filter(({ invalidInput }) => !invalidInput);
    const deletions = [...changes.deletions.values()];
    if (cells.length + deletions.length === 0) {
      toast({ title: 'Everything is already saved', tone: 'ok' });
      return true;
    }
    const stored = cells.length > 0 ? await store(cells, ignoreNearDups) : undefined;
    if (cells.length > 0 && !stored) return false;
    const deletedCount = deletions.length > 0 ? await remove(deletions, cells.length) : 0;
    if (deletedCount === undefined) return false;
    announceSent(stored, deletedCount, typeId);
    return true;
  };
  /** Returns whether everything was stored and deleted. */
  const send = async (ignoreNearDups = false): Promise<boolean> => {
    if (getSendState(typeId).isPending) return false;
    updateSendState(typeId, { isPending: true, failure: undefined });
    try {
      return await sendAll(ignoreNearDups);
    } finally {
      updateSendState(typeId, { isPending: false });
    }
  };
  return { send, failure, pending: isPending };
}
