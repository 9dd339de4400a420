import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { toServiceError } from '../../../api/errors.ts';
import {
  listActingReportsInfiniteOptions,
  readActingReportInfiniteOptions,
} from '../../../api/generated/@tanstack/react-query.gen.ts';

const REPORTS = 100;
const STEPS = 1000;

/** Reports as far as they have been read, the newest first; of one person, or of all. */
export function useReports(userId: number | undefined, pageSize = REPORTS) {
  const query = useInfiniteQuery({
    ...listActingReportsInfiniteOptions({ query: { pageSize, ...(userId !== undefined && { userId }) } }),
    initialPageParam: 1,
    // A page that is not full is the last one (shapes 1).
    getNextPageParam: (page, pages) => (page.length < pageSize ? undefined : pages.length + 1),
  });
  const { data, error, isFetching, isFetchingNextPage, hasNextPage, fetchNextPage, refetch } = query;
  // A report that began between two pages moves the others on: none stands there twice.
  const reports = useMemo(
    () => data && [...new Map(data.pages.flat().map((one) => [one.id, one])).values()],
    [data],
  );
  return {
    reports,
    error: error === null ? undefined : toServiceError(error),
    isRefetching: isFetching && !isFetchingNextPage && data !== undefined,
    isReadingOn: isFetchingNextPage,
    hasMore: hasNextPage,
    readOn: () => void fetchNextPage({ cancelRefetch: false }),
    refetch: () => void refetch(),
  };
}

/** One report with its steps from the first on, as far as they have been read. */
export const reportQuery = (id: number) => ({
  ...readActingReportInfiniteOptions({ path: { id }, query: { pageSize: STEPS } }),
  initialPageParam: 1,
  getNextPageParam: (page: { steps: readonly unknown[] }, pages: readonly unknown[]) =>
    page.steps.length < STEPS ? undefined : pages.length + 1,
});

/** The same on its page, whose loader has read the first steps. */
export function useReport(id: number) {
  const { data, isFetchingNextPage, hasNextPage, fetchNextPage, refetch, isFetching } = useInfiniteQuery(
    reportQuery(id),
  );
  return {
    report: data?.pages[0]?.report,
    steps: useMemo(() => data?.pages.flatMap(({ steps }) => steps) ?? [], [data]),
    isFetching,
    isReadingOn: isFetchingNextPage,
    hasMore: hasNextPage,
    readOn: () => void fetchNextPage({ cancelRefetch: false }),
    refetch: () => void refetch(),
  };
}
