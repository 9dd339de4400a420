import { useState } from 'react';
import type { RowVm, StoreRequestVm } from '../../../../contract/generated/types.gen.ts';
import { ServiceError } from '../../../api/errors.ts';
import { mergeEntries, updateEntries } from '../../../api/generated/sdk.gen.ts';
import { useWrite } from '../../../api/write.ts';
import { queryRows } from '../model/entry-rows.ts';

/** A merge as displayed when the user confirmed it. */
interface MergeInput {
  typeId: number;
  target: RowVm;
  mergedRows: readonly RowVm[];
  requests: StoreRequestVm[];
}

const CONFLICT_MESSAGE =
  'One of these entries was changed by someone else. Check them again before you merge.';

/** Checks that the entries are unchanged, since a merge cannot be undone. @throws ServiceError 409 */
async function assertUnchanged({ typeId, target, mergedRows }: MergeInput): Promise<void> {
  const displayed = [target, ...mergedRows];
  const query = { EntryId: { $in: displayed.map(({ EntryId }) => EntryId) } };
  const { rows } = await queryRows(typeId, { query, limit: displayed.length });
  const byId = new Map(rows.map((row) => [row.EntryId, JSON.stringify(row)]));
  if (displayed.some((row) => byId.get(row.EntryId) !== JSON.stringify(row)))
    throw new ServiceError(409, CONFLICT_MESSAGE);
}

/**
 * Writes the selected values into the target and merges the other entries into it. The API has no operation for both;
 * the values come first, since they can be reverted and a merge cannot. If the merge fails after that, it can be
 * retried.
 */
export function useMerge() {
  const [areValuesSaved, setValuesSaved] = useState(false);
  const write = useWrite('updateEntries', {
    mutationFn: ({ typeId, requests }: MergeInput) =>
      updateEntries({ path: { entryTypeId: String(typeId) }, body: { storeRequests: requests } }),
  });
  const merge = useWrite('mergeEntries', {
    mutationFn: ({ typeId, target, mergedRows }: MergeInput) =>
      mergeEntries({
        path: { entryTypeId: String(typeId) },
        body: { entryId: target.EntryId, mergeEntries: mergedRows.map(({ EntryId }) => EntryId) },
      }),
  });
  const run = async (input: MergeInput) => {
    await assertUnchanged(input);
    const hasRequests = input.requests.length > 0;
    if (hasRequests) await write.mutateAsync(input);
    try {
      await merge.mutateAsync(input);
    } catch (thrown) {
      setValuesSaved(hasRequests);
      throw thrown;
    }
  };
  return { run, isWritten: areValuesSaved };
}
