import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { UnusedLicense } from '../../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import { listUnusedLicensesInfiniteOptions } from '../../../api/generated/queries/licenses.gen.ts';
import { usePermission } from '../../../api/session.ts';
import { usePeopleById } from '../../../directory/directory.ts';
import type { DirectoryRow } from '../../../directory/engine/row.ts';

// The first page fills a screen; later pages grow.
const PAGE_SIZES = [1000, 500, 200, 100, 50] as const;
const FIRST_PAGE_SIZE = 50;

/** The page after `read` rows, as large as its offset allows. */
export function getNextPage(read: number) {
  const pageSize = PAGE_SIZES.find((size) => read > 0 && read % size === 0) ?? FIRST_PAGE_SIZE;
  return { query: { pageNumber: read / pageSize + 1, pageSize } };
}

/** Unused license with its user, if known. */
export interface UnusedRow extends UnusedLicense {
  person: DirectoryRow | undefined;
}

export const formatUserName = ({ person, userId }: UnusedRow): string => person?.name ?? `User ${userId}`;

/** Unused licenses loaded so far, page by page without a total. */
export function useUnusedLicenses(days: number) {
  const { allowed } = usePermission('listUnusedLicenses');
  const query = useInfiniteQuery({
    ...listUnusedLicensesInfiniteOptions({ query: { days } }),
    initialPageParam: getNextPage(0),
    getNextPageParam(page, pages) {
      const read = pages.flat().length;
      // A page that is not full is the last one (shapes 1).
      return page.length < getNextPage(read - page.length).query.pageSize ? undefined : getNextPage(read);
    },
    enabled: allowed,
  });
  const { data, error, isRefetching, isFetchingNextPage, hasNextPage, fetchNextPage, refetch } = query;
  // Rows inserted between two pages shift the others, so duplicates are removed.
  const licenses = useMemo(
    () => data && [...new Map(data.pages.flat().map((one) => [one.userId, one])).values()],
    [data],
  );
  const ids = useMemo(() => licenses?.map(({ userId }) => userId) ?? [], [licenses]);
  const people = usePeopleById(ids);
  const rows = useMemo<UnusedRow[] | undefined>(
    () => licenses?.map((license) => ({ ...license, person: people.get(license.userId) })),
    [licenses, people],
  );
  // Refetched pages must not be mixed with pages loaded afterwards.
  const waitForRefetch = async () => isRefetching && refetch({ cancelRefetch: false });
  const loadMore = async () => {
    await waitForRefetch();
    await fetchNextPage({ cancelRefetch: false });
  };
  const loadAll = async () => {
    await waitForRefetch();
    for (;;) {
      // Each page is asked for only when the one before it says that there is more.
      const after = await fetchNextPage({ cancelRefetch: false });
      if (!after.hasNextPage || after.isError) return;
    }
  };
  return {
    query,
    rows,
    ids,
    error: error === null ? undefined : toServiceError(error),
    isRefetching,
    isReadingOn: isFetchingNextPage,
    isComplete: rows !== undefined && !hasNextPage,
    readOn: () => void loadMore(),
    readAll: () => void loadAll(),
    refetch: () => void refetch(),
  };
}
