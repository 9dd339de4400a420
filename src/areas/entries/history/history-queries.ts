import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { GoneField, RowVm } from '../../../../contract/generated/types.gen.ts';
import {
  listEntryChanges,
  queryRowsAsOf,
  readGoneValues,
  readEntryLineage,
} from '../../../api/generated/sdk/entry-history.gen.ts';

const PAGE_SIZE = 20;

/** The changes of an entry, or those that a proxy made, in pages, newest first. */
export const entryChangesQuery = (typeId: number, entryId: number, onlyProxy: boolean) =>
  infiniteQueryOptions({
    queryKey: [{ _id: 'listEntryChanges', typeId, entryId, onlyProxy }],
    queryFn: async ({ pageParam, signal }) =>
      (
        await listEntryChanges({
          path: { entryTypeId: String(typeId), entryId },
          query: {
            limit: PAGE_SIZE,
            ...(onlyProxy && { onlyProxy }),
            ...(pageParam !== '' && { cursor: pageParam }),
          },
          signal,
        })
      ).data,
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
  });

/** The entry as of a time; null if it did not exist. */
export const entryAsOfQuery = (typeId: number, entryId: number, at: string) => ({
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

/** Its values in fields deleted since: `before` as of the first time, `after` as of the second. */
export const deletedFieldValuesQuery = (
  typeId: number,
  entryId: number,
  at: string,
  other: string | undefined,
) => ({
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

/** Deletion and merges of an entry. */
export const lineageQuery = (typeId: number, entryId: number) =>
  queryOptions({
    queryKey: [{ _id: 'readEntryLineage', typeId, entryId }],
    queryFn: async ({ signal }) =>
      (await readEntryLineage({ path: { entryTypeId: String(typeId), entryId }, signal })).data,
  });
