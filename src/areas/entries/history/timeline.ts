import { infiniteQueryOptions } from '@tanstack/react-query';
import { listEntryChanges, queryRowsAsOf, readGoneValues } from '../../../api/generated/sdk.gen.ts';
import type { GoneField, RowVm } from '../../../api/generated/types.gen.ts';

const PAGE = 20;

/** The changes of an entry, page by page, the newest first. */
export const changesQuery = (typeId: number, entryId: number) =>
  infiniteQueryOptions({
    queryKey: [{ _id: 'listEntryChanges', typeId, entryId }],
    queryFn: async ({ pageParam, signal }) =>
      (
        await listEntryChanges({
          path: { entryTypeId: String(typeId), entryId },
          query: { limit: PAGE, ...(pageParam !== '' && { cursor: pageParam }) },
          signal,
        })
      ).data,
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
  });

/** The entry as it was at a moment; null where it was not there. */
export const entryAtQuery = (typeId: number, entryId: number, at: string) => ({
  queryKey: [{ _id: 'queryRowsAsOf', typeId, entryId, at }],
  async queryFn({ signal }: { signal: AbortSignal }): Promise<RowVm | null> {
    const { data } = await queryRowsAsOf({
      path: { entryTypeId: String(typeId) },
      body: { asOf: at, query: { EntryId: entryId }, limit: 1, wrapIntoArrays: true },
      signal,
    });
    return data.rows[0] ?? null;
  },
});

/** What it held in fields that were deleted since; `before` at the first moment, `after` at the second. */
export const goneValuesQuery = (typeId: number, entryId: number, at: string, other: string | undefined) => ({
  queryKey: [{ _id: 'readGoneValues', typeId, entryId, at, other }],
  queryFn: async ({ signal }: { signal: AbortSignal }): Promise<readonly GoneField[]> =>
    (
      await readGoneValues({
        path: { entryTypeId: String(typeId), entryId },
        query: { at, ...(other !== undefined && { with: other }) },
        signal,
      })
    ).data,
});
