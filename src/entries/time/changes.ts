import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { countChangedEntries, listChangedEntries } from '../../api/generated/sdk.gen.ts';
import type { EntryFate } from '../../api/generated/types.gen.ts';

/** What is asked for of all types. */
export interface Since {
  modifiedSince: string;
  indirect: boolean;
  userId?: number;
}

/** How many entries of each type have changed. */
export const countsQuery = (query: Since) =>
  queryOptions({
    queryKey: [{ _id: 'countChangedEntries', query }],
    queryFn: async ({ signal }) => (await countChangedEntries({ query, signal })).data,
  });

const PAGE = 100;

/** The changed entries of a type, page by page, the latest first. */
export const changedQuery = (type: number | undefined, since: Since, fate: EntryFate | undefined) =>
  infiniteQueryOptions({
    queryKey: [{ _id: 'listChangedEntries', type, since, fate }],
    queryFn: async ({ pageParam, signal }) =>
      (
        await listChangedEntries({
          path: { entryTypeId: String(type) },
          query: {
            ...since,
            limit: PAGE,
            ...(fate && { fate }),
            ...(pageParam !== '' && { cursor: pageParam }),
          },
          signal,
        })
      ).data,
    enabled: type !== undefined,
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
  });
