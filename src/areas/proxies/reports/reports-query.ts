import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { toServiceError } from '../../../api/errors.ts';
import {
  listActingReportsInfiniteOptions,
  readActingReportInfiniteOptions,
} from '../../../api/generated/queries/proxies.gen.ts';

const REPORTS_PAGE_SIZE = 100;
const STEPS_PAGE_SIZE = 1000;

/** Loaded acting reports, newest first, of one user (as proxy or principal) or of all. */
export function useReports(userId: number | undefined, pageSize = REPORTS_PAGE_SIZE) {
  const query = useInfiniteQuery({
    ...listActingReportsInfiniteOptions({ query: { pageSize, ...(userId !== undefined && { userId }) } }),
    initialPageParam: 1,
    // A page with fewer rows than requested is the last one (shapes 1).
    getNextPageParam: (page, pages) => (page.length < pageSize ? undefined : pages.length + 1),
  });
  const { data, error, isFetching, isFetchingNextPage, hasNextPage, fetchNextPage, refetch, dataUpdatedAt } =
    query;
  // A report created between the loading of two pages shifts the rest: duplicates are dropped.
  const reports = useMemo(
    () => data && [...new Map(data.pages.flat().map((one) => [one.id, one])).values()],
    [data],
  );
  return {
    reports,
    error: error === null ? undefined : toServiceError(error),
    isRefetching: isFetching && !isFetchingNextPage && data !== undefined,
    isLoadingMore: isFetchingNextPage,
    hasMore: hasNextPage,
    loadMore: () => void fetchNextPage({ cancelRefetch: false }),
    dataUpdatedAt,
    refetch: () => void refetch(),
  };
}

/** Loads a report and its steps, page by page. */
export const reportQuery = (id: number) => ({
  ...readActingReportInfiniteOptions({ path: { id }, query: { pageSize: STEPS_PAGE_SIZE } }),
  initialPageParam: 1,
  getNextPageParam: (page: { steps: readonly unknown[] }, pages: readonly unknown[]) =>
    page.steps.length < STEPS_PAGE_SIZE ? undefined : pages.length + 1,
});

/** A report with the steps loaded so far. The loader of the route loads the first page. */
export function useReport(id: number) {
  const query = useInfiniteQuery(reportQuery(id));
  const { data, error, isFetchingNextPage, hasNextPage, fetchNextPage, refetch, isFetching } = query;
  return {
    report: data?.pages[0]?.report,
    steps: useMemo(() => data?.pages.flatMap(({ steps }) => steps) ?? [], [data]),
    error: error === null ? undefined : toServiceError(error),
    isFetching,
    /** `error` is that of loading more steps. */
    isMoreFailed: query.isFetchNextPageError,
    isLoadingMore: isFetchingNextPage,
    hasMore: hasNextPage,
    loadMore: () => void fetchNextPage({ cancelRefetch: false }),
    refetch: () => void refetch(),
  };
}
