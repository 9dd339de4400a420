import { useState } from 'react';
import { ServiceError } from '../../../api/errors.ts';
import { mergeEntries, updateEntries } from '../../../api/generated/sdk.gen.ts';
import type { RowVm, StoreRequestVm } from '../../../api/generated/types.gen.ts';
import { useWrite } from '../../../api/write.ts';
import { readRows } from '../model/use-rows.ts';

/** A merge as it was looked at. */
interface Merge {
  typeId: number;
  stays: RowVm;
  away: readonly RowVm[];
  requests: StoreRequestVm[];
}

const CHANGED =
  'Somebody has changed one of these entries meanwhile: look at them again before you merge them';

/** What is merged away cannot be looked at again as a living entry: nobody's latest change goes unseen. */
async function requireAsSeen({ typeId, stays, away }: Merge): Promise<void> {
  const seen = [stays, ...away];
  const query = { EntryId: { $in: seen.map(({ EntryId }) => EntryId) } };
  const { rows } = await readRows(typeId, { query, limit: seen.length });
  const byId = new Map(rows.map((row) => [row.EntryId, JSON.stringify(row)]));
  if (seen.some((row) => byId.get(row.EntryId) !== JSON.stringify(row))) throw new ServiceError(409, CHANGED);
}

/**
 * Writes the chosen values into the entry that stays and merges the others into it. The interface has no call for both:
 * the values come first, since they can be taken back and a merge cannot. Where the merge fails after that, nothing is
 * lost, and it can be tried again.
 */
export function useMerge() {
  const [isWritten, setWritten] = useState(false);
  const write = useWrite('updateEntries', {
    mutationFn: ({ typeId, requests }: Merge) =>
      updateEntries({ path: { entryTypeId: String(typeId) }, body: { storeRequests: requests } }),
  });
  const merge = useWrite('mergeEntries', {
    mutationFn: ({ typeId, stays, away }: Merge) =>
      mergeEntries({
        path: { entryTypeId: String(typeId) },
        body: { entryId: stays.EntryId, mergeEntries: away.map(({ EntryId }) => EntryId) },
      }),
  });
  const run = async (what: Merge) => {
    await requireAsSeen(what);
    const writes = what.requests.length > 0;
    if (writes) await write.mutateAsync(what);
    try {
      await merge.mutateAsync(what);
    } catch (thrown) {
      setWritten(writes);
      throw thrown;
    }
  };
  return { run, isWritten };
}
