import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { toServiceError } from '../../../api/errors.ts';
import { listUnusedLicensesInfiniteOptions } from '../../../api/generated/@tanstack/react-query.gen.ts';
import type { UnusedLicense } from '../../../api/generated/types.gen.ts';
import { useAllowed } from '../../../api/session.ts';
import { usePeople } from '../../../directory/directory.ts';
import type { DirectoryRow } from '../../../directory/row.ts';

// The first page fills a screen and is there soon; the more has been read, the larger the next one is.
const SIZES = [1000, 500, 200, 100, 50] as const;
const FIRST = 50;

/** The page that goes on after so many, as large as its number can say exactly where it begins. */
export function pageAfter(read: number) {
  const pageSize = SIZES.find((size) => read > 0 && read % size === 0) ?? FIRST;
  return { query: { pageNumber: read / pageSize + 1, pageSize } };
}

/** A license that nobody uses, with its holder as far as they are known. */
export interface UnusedRow extends UnusedLicense {
  person: DirectoryRow | undefined;
}

export const unusedName = ({ person, userId }: UnusedRow): string => person?.name ?? `User ${userId}`;

/** The unused licenses as far as they have been read: the service gives them by page, without a total. */
export function useUnused(days: number) {
  const { allowed } = useAllowed('listUnusedLicenses');
  const query = useInfiniteQuery({
    ...listUnusedLicensesInfiniteOptions({ query: { days } }),
    initialPageParam: pageAfter(0),
    getNextPageParam(page, pages) {
      const read = pages.flat().length;
      // A page that is not full is the last one (shapes 1).
      return page.length < pageAfter(read - page.length).query.pageSize ? undefined : pageAfter(read);
    },
    enabled: allowed,
  });
  const { data, error, isRefetching, isFetchingNextPage, hasNextPage, fetchNextPage, refetch } = query;
  // Who came into the list between two pages moves the others on: nobody stands in it twice.
  const licenses = useMemo(
    () => data && [...new Map(data.pages.flat().map((one) => [one.userId, one])).values()],
    [data],
  );
  const ids = useMemo(() => licenses?.map(({ userId }) => userId) ?? [], [licenses]);
  const people = usePeople(ids);
  const rows = useMemo<UnusedRow[] | undefined>(
    () => licenses?.map((license) => ({ ...license, person: people.get(license.userId) })),
    [licenses, people],
  );
  // What is being read again must not be mixed with pages that are read after it.
  const settled = async () => isRefetching && refetch({ cancelRefetch: false });
  const readOn = async () => {
    await settled();
    await fetchNextPage({ cancelRefetch: false });
  };
  const readAll = async () => {
    await settled();
    for (;;) {
      // Each page is asked for only when the one before it says that there is more.
      // oxlint-disable-next-line no-await-in-loop
      const after = await fetchNextPage({ cancelRefetch: false });
      if (!after.hasNextPage || after.isError) return;
    }
  };
  return {
    rows,
    ids,
    error: error === null ? undefined : toServiceError(error),
    isRefetching,
    isReadingOn: isFetchingNextPage,
    isComplete: rows !== undefined && !hasNextPage,
    readOn: () => void readOn(),
    readAll: () => void readAll(),
    refetch: () => void refetch(),
  };
}
