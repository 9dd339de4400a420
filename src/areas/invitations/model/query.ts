import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query';
import type { InfiniteData } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { InvitationInfoResponse } from '../../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import { listInvitationsQueryKey } from '../../../api/generated/queries/invitations.gen.ts';
import { listInvitations } from '../../../api/generated/sdk/invitations.gen.ts';

const PAGE_SIZE = 1000;

/**
 * All invitations of the site, newest first: pages are loaded until one is not full, because lists have no totals
 * (shapes 1).
 */
export const invitationsQuery = infiniteQueryOptions({
  queryKey: [{ ...listInvitationsQueryKey()[0], all: true }],
  queryFn: async ({ pageParam, signal }) =>
    (await listInvitations({ signal, query: { pageNumber: pageParam, pageSize: PAGE_SIZE } })).data,
  initialPageParam: 1,
  getNextPageParam: (last, pages) => (last.length < PAGE_SIZE ? undefined : pages.length + 1),
  select: removeDuplicates,
});

/** Removes duplicates: an invitation sent between two requests shifts another one into both pages. */
function removeDuplicates({
  pages,
}: InfiniteData<InvitationInfoResponse[], number>): InvitationInfoResponse[] {
  return pages.length === 1
    ? (pages[0] ?? [])
    : [...new Map(pages.flat().map((one) => [one.id, one])).values()];
}

/** Invitations loaded so far; loads page after page until all are there. */
export function useInvitations(enabled: boolean) {
  const query = useInfiniteQuery({ ...invitationsQuery, enabled });
  const { data, error, hasNextPage, isFetching, isError, fetchNextPage, refetch, dataUpdatedAt } = query;
  useEffect(() => {
    if (hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [hasNextPage, isFetching, isError, fetchNextPage]);
  return {
    all: data,
    complete: data !== undefined && !hasNextPage,
    error: error === null ? undefined : toServiceError(error),
    refreshing: isFetching,
    refresh: () => void refetch(),
    asOf: dataUpdatedAt,
  };
}
