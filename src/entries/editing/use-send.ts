import { useState } from 'react';
import { ServiceError } from '../../api/errors.ts';
import { updateEntries } from '../../api/generated/sdk.gen.ts';
import { useWrite } from '../../api/write.ts';
import { counted } from '../../lib/numbers.ts';
import { toast } from '../../ui/feedback/toast.ts';
import { stagedIn } from './changes.ts';
import type { StagedCell } from './changes.ts';
import { refusalsOf, requestsOf } from './send.ts';
import type { Refusals } from './send.ts';
import { cellsStored, changesOf, setFaults, stageInverse } from './store.ts';

interface Sending {
  cells: readonly StagedCell[];
  ignoreNearDups: boolean;
}

/** What the last attempt met; nothing of what is staged is lost by it. */
export interface Failed {
  error: ServiceError;
  refusals: Refusals;
}

const NO_FAULTS: ReadonlyMap<string, string> = new Map();

/** Sends what is staged for a type in one request: all of it is stored, or nothing. */
export function useSend(typeId: number) {
  const [failed, setFailed] = useState<Failed>();
  const { mutateAsync, isPending } = useWrite('updateEntries', {
    mutationFn: ({ cells, ignoreNearDups }: Sending) =>
      updateEntries({
        path: { entryTypeId: String(typeId) },
        body: { storeRequests: requestsOf(cells, ignoreNearDups) },
      }),
  });
  /** True once everything was stored. */
  const send = async (ignoreNearDups = false): Promise<boolean> => {
    // What does not fit is held back by the review already; it has no value that could be sent.
    const cells = stagedIn(changesOf(typeId)).filter(({ misfit }) => !misfit);
    setFailed(undefined);
    setFaults(typeId, NO_FAULTS);
    try {
      await mutateAsync({ cells, ignoreNearDups });
    } catch (thrown) {
      if (!(thrown instanceof ServiceError)) throw thrown;
      const refusals = refusalsOf(thrown, cells);
      setFaults(typeId, refusals.faults);
      setFailed({ error: thrown, refusals });
      return false;
    }
    const sent = cellsStored(typeId, cells);
    const changed = cells.filter(({ entryId }) => entryId > 0).length;
    toast({
      title: `Saved ${counted(cells.length, 'change', 'changes')}`,
      tone: 'ok',
      ...(changed > 0 && { action: { label: 'Undo', onSelect: () => stageInverse(typeId, sent) } }),
    });
    return true;
  };
  return { send, failed, pending: isPending, forget: () => setFailed(undefined) };
}
