import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query';
import type { InfiniteData } from '@tanstack/react-query';
import { useEffect } from 'react';
import { toServiceError } from '../../../api/errors.ts';
import { listInvitationsQueryKey } from '../../../api/generated/@tanstack/react-query.gen.ts';
import { listInvitations } from '../../../api/generated/sdk.gen.ts';
import type { InvitationInfoResponse } from '../../../api/generated/types.gen.ts';

const PAGE = 1000;

/** Every invitation of the site, newest first: windows in order until one is not full, for lists carry no totals (shapes 1). */
export const invitationsQuery = infiniteQueryOptions({
  queryKey: [{ ...listInvitationsQueryKey()[0], all: true }],
  queryFn: async ({ pageParam, signal }) =>
    (await listInvitations({ signal, query: { pageNumber: pageParam, pageSize: PAGE } })).data,
  initialPageParam: 1,
  getNextPageParam: (last, pages) => (last.length < PAGE ? undefined : pages.length + 1),
  select: eachOnce,
});

/** One that was sent between two windows pushes another into both. */
function eachOnce({ pages }: InfiniteData<InvitationInfoResponse[], number>): InvitationInfoResponse[] {
  return pages.length === 1
    ? (pages[0] ?? [])
    : [...new Map(pages.flat().map((one) => [one.id, one])).values()];
}

/** The invitations as far as they are read; one window after the other until all are there. */
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
