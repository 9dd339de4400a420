import { useState } from 'react';
import { isUnreachable, ServiceError } from '../../api/errors.ts';
import { deleteEntries, updateEntries } from '../../api/generated/sdk.gen.ts';
import { useWrite } from '../../api/write.ts';
import { counted } from '../../lib/numbers.ts';
import { toast } from '../../ui/feedback/toast.ts';
import { stagedIn } from './changes.ts';
import type { StagedCell, StagedDeletion } from './changes.ts';
import { deletedOf, madeBy, refusalsOf, requestsOf } from './send.ts';
import type { Refusals } from './send.ts';
import { cellsStored, changesOf, entriesDeleted, setFaults, stageInverse } from './store.ts';
import type { Sent } from './store.ts';

interface Storing {
  cells: readonly StagedCell[];
  ignoreNearDups: boolean;
}

/** What the last attempt met; nothing of what is still staged is lost by it. */
export interface Failed {
  /** What it was about: the values, before which nothing goes, or the entries that were to go after them. */
  at: 'values' | 'deletions';
  /** No answer came, or none of the service's own: it may have been done all the same. */
  isUnknown: boolean;
  message: string;
  refusals: Refusals;
  /** Values that were stored before deleting failed. */
  saved: number;
  gone: number;
}

const NO_FAULTS: ReadonlyMap<string, string> = new Map();
const NO_REFUSALS: Refusals = { faults: NO_FAULTS, overtaken: [], isOnlyNear: false, rest: [] };

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

/**
 * Sends what is staged for a type: first its values in one request, all or nothing, then the entries that go. A value can
 * be taken back and a deletion cannot, so nothing goes before everything else is safe.
 */
export function useSend(typeId: number) {
  const [failed, setFailed] = useState<Failed>();
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
  const store = async (cells: readonly StagedCell[], ignoreNearDups: boolean) => {
    try {
      const { data } = await storing.mutateAsync({ cells, ignoreNearDups });
      return cellsStored(typeId, cells, madeBy(data, cells));
    } catch (thrown) {
      if (!(thrown instanceof ServiceError)) throw thrown;
      const refusals = refusalsOf(thrown, cells);
      setFaults(typeId, refusals.faults);
      const message = thrown.fields.length === 0 ? thrown.message : '';
      setFailed({ at: 'values', isUnknown: isUnreachable(thrown), message, refusals, saved: 0, gone: 0 });
      return undefined;
    }
  };
  /** How many are gone; undefined where some are still there. */
  const remove = async (deletions: readonly StagedDeletion[], saved: number) => {
    const fail = (message: string, gone: number, lost = false) =>
      setFailed({ at: 'deletions', isUnknown: lost, message, refusals: NO_REFUSALS, saved, gone });
    try {
      const { data } = await deleting.mutateAsync(deletions.map(({ entryId }) => entryId));
      const { gone, faults } = deletedOf(data, deletions);
      entriesDeleted(typeId, gone);
      if (faults.size === 0) return gone.length;
      setFaults(typeId, faults);
      fail('', gone.length);
    } catch (thrown) {
      if (!(thrown instanceof ServiceError)) throw thrown;
      const message = [thrown.message, ...thrown.fields.map((field) => field.message)].join('. ');
      fail(message, 0, isUnreachable(thrown));
    }
    return undefined;
  };
  /** True once everything was stored, and gone what was to go. */
  const send = async (ignoreNearDups = false): Promise<boolean> => {
    const changes = changesOf(typeId);
    // What does not fit is held back by the review already; it has no value that could be sent.
    const cells = stagedIn(changes).filter(({ misfit }) => !misfit);
    const deletions = [...changes.deletions.values()];
    setFailed(undefined);
    setFaults(typeId, NO_FAULTS);
    const stored = cells.length > 0 ? await store(cells, ignoreNearDups) : undefined;
    if (cells.length > 0 && !stored) return false;
    const gone = deletions.length > 0 ? await remove(deletions, cells.length) : 0;
    if (gone === undefined) return false;
    tell(stored, gone, typeId);
    return true;
  };
  return { send, failed, pending: storing.isPending || deleting.isPending };
}
