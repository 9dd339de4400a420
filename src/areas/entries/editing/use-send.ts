import { isUnreachable, ServiceError } from '../../../api/errors.ts';
import { deleteEntries, updateEntries } from '../../../api/generated/sdk.gen.ts';
import { useWrite } from '../../../api/write.ts';
import { counted } from '../../../lib/numbers.ts';
import { toast } from '../../../ui/feedback/toast.ts';
import { attemptOf, putAttempt, useAttempt } from './attempts.ts';
import type { Failed } from './attempts.ts';
import { stagedIn } from './changes.ts';
import type { StagedCell, StagedDeletion } from './changes.ts';
import { writeStaged } from './kept.ts';
import { deletedOf, madeBy, refusalsOf, requestsOf } from './send.ts';
import type { Refusals } from './send.ts';
import { cellsStored, changesOf, entriesDeleted, refusedOf, sendingOf, stageInverse } from './store.ts';
import type { Sent } from './store.ts';

interface Storing {
  cells: readonly StagedCell[];
  ignoreNearDups: boolean;
}

const NO_REFUSALS: Refusals = { faults: new Map(), overtaken: [], isOnlyNear: false, rest: [] };

function tell(stored: Sent | undefined, gone: number, typeId: number): void {
  const did = [
    stored && `Saved ${counted(stored.cells.length, 'change', 'changes')}`,
    gone > 0 && `${stored ? 'deleted' : 'Deleted'} ${counted(gone, 'entry', 'entries')}`,
  ];
  const changed = stored?.cells.some(({ entryId }) => entryId > 0) === true;
  toast({
    title: did.filter(Boolean).join(', '),
    tone: 'ok',
    ...(gone > 0 && changed && { description: 'Undo stages the old values; what was deleted stays so.' }),
    ...(changed && { action: { label: 'Undo', onSelect: () => stageInverse(typeId, stored) } }),
  });
}

/** Says that it was sent before it is: a page that goes meanwhile comes back with the doubt (kept.ts). */
function doubtUntilAnswered(typeId: number, part: Failed['at'], cells: readonly StagedCell[]): void {
  const made = new Set(cells.flatMap(({ entryId }) => (entryId < 0 ? [entryId] : [])));
  sendingOf(typeId, { at: Date.now(), part, made: [...made] });
  void writeStaged();
}

/** What the service has said against a request; undefined where no answer came, so that the doubt stays. */
function answeredBy(thrown: unknown): ServiceError | undefined {
  if (!(thrown instanceof ServiceError)) throw thrown;
  return isUnreachable(thrown) ? undefined : thrown;
}

/**
 * Sends what is staged for a type: first its values in one request, all or nothing, then the entries that go. A value can
 * be taken back and a deletion cannot, so nothing goes before everything else is safe.
 */
export function useSend(typeId: number) {
  const { isPending, failed } = useAttempt(typeId);
  const storing = useWrite('updateEntries', {
    mutationFn: ({ cells, ignoreNearDups }: Storing) =>
      updateEntries({
        path: { entryTypeId: String(typeId) },
        body: { storeRequests: requestsOf(cells, ignoreNearDups) },
      }),
  });
  const deleting = useWrite('deleteEntries', {
    mutationFn: (body: number[]) => deleteEntries({ path: { entryTypeId: String(typeId) }, body }),
  });
  const fail = (next: Partial<Failed> & Pick<Failed, 'at'>) =>
    putAttempt(typeId, { failed: { message: '', refusals: NO_REFUSALS, saved: 0, gone: 0, ...next } });
  const store = async (cells: readonly StagedCell[], ignoreNearDups: boolean) => {
    doubtUntilAnswered(typeId, 'values', cells);
    try {
      const { data } = await storing.mutateAsync({ cells, ignoreNearDups });
      return cellsStored(typeId, cells, madeBy(data, cells));
    } catch (thrown) {
      const answer = answeredBy(thrown);
      if (!answer) return undefined;
      const refusals = refusalsOf(answer, cells);
      refusedOf(typeId, refusals.faults);
      fail({ at: 'values', message: answer.fields.length === 0 ? answer.message : '', refusals });
      return undefined;
    }
  };
  /** How many are gone; undefined where some are still there. */
  const remove = async (deletions: readonly StagedDeletion[], saved: number) => {
    doubtUntilAnswered(typeId, 'deletions', []);
    try {
      const { data } = await deleting.mutateAsync(deletions.map(({ entryId }) => entryId));
      const { gone, faults } = deletedOf(data, deletions);
      entriesDeleted(typeId, gone);
      if (faults.size === 0) return gone.length;
      refusedOf(typeId, faults);
      fail({ at: 'deletions', saved, gone: gone.length });
    } catch (thrown) {
      const answer = answeredBy(thrown);
      if (!answer) return undefined;
      refusedOf(typeId);
      const message = [answer.message, ...answer.fields.map((field) => field.message)].join('. ');
      fail({ at: 'deletions', message, saved });
    }
    return undefined;
  };
  const sendAll = async (ignoreNearDups: boolean): Promise<boolean> => {
    const changes = changesOf(typeId);
    // What does not fit is held back by the review already; it has no value that could be sent.
    const cells = stagedIn(changes).filter(({ misfit }) => !misfit);
    const deletions = [...changes.deletions.values()];
    if (cells.length + deletions.length === 0) {
      toast({ title: 'All of it is there already', tone: 'ok' });
      return true;
    }
    const stored = cells.length > 0 ? await store(cells, ignoreNearDups) : undefined;
    if (cells.length > 0 && !stored) return false;
    const gone = deletions.length > 0 ? await remove(deletions, cells.length) : 0;
    if (gone === undefined) return false;
    tell(stored, gone, typeId);
    return true;
  };
  /** True once everything was stored, and gone what was to go. */
  const send = async (ignoreNearDups = false): Promise<boolean> => {
    if (attemptOf(typeId).isPending) return false;
    putAttempt(typeId, { isPending: true, failed: undefined });
    try {
      return await sendAll(ignoreNearDups);
    } finally {
      putAttempt(typeId, { isPending: false });
    }
  };
  return { send, failed, pending: isPending };
}
