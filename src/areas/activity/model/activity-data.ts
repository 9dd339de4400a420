import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { QueryClient } from '@tanstack/react-query';
import type {
  UserActivityEntry,
  UserActivityQuery,
  UserActivitySummary,
} from '../../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import { queryUserActivity, summarizeUserActivity } from '../../../api/generated/sdk/activity.gen.ts';
import { sessionQuery } from '../../../api/session-query.ts';
import { createPagedRows } from '../../../ui/table/paged-rows.ts';
import type { RowSource } from '../../../ui/table/row-source.ts';
import { toIsoDate } from './report-query.ts';
import type { ReportQuery } from './report-query.ts';
import type { ActivityRow } from './row.ts';

/** Rows per page. */
export const PAGE_SIZE = 100;
/** Largest page of the service (shapes 1). */
export const MAX_PAGE_SIZE = 1000;
const CACHE_TIME_MS = 60_000;

/** Loads a page of rows and the number of all matching rows. */
export async function loadActivityPage(
  body: UserActivityQuery,
  page: { pageNumber: number; pageSize: number },
  signal?: AbortSignal,
) {
  return (await queryUserActivity({ body, query: page, ...(signal && { signal }) })).data;
}

/** Number of rows of the query that lie before the period (see `ReportQuery.precedingDay`). */
async function countPrecedingRows({ precedingDay }: ReportQuery, signal?: AbortSignal): Promise<number> {
  if (!precedingDay) return 0;
  return (await loadActivityPage(precedingDay, { pageNumber: 1, pageSize: 1 }, signal)).totalRecords;
}

async function loadRows(reportQuery: ReportQuery, signal: AbortSignal): Promise<RowSource<ActivityRow>> {
  const page = (pageNumber: number) => ({ pageNumber, pageSize: PAGE_SIZE });
  const [first, before] = await Promise.all([
    loadActivityPage(reportQuery.query, page(1), signal),
    countPrecedingRows(reportQuery, signal),
  ]);
  return createPagedRows<ActivityRow>({
    length: Math.max(0, first.totalRecords - before),
    pageSize: PAGE_SIZE,
    firstPage: first.rows,
    loadPage: async (number) => (await loadActivityPage(reportQuery.query, page(number))).rows,
  });
}

/** Rows of the report. While another query is loading, the rows of the previous one are shown. */
export function useActivityRows(reportQuery: ReportQuery) {
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery({
    queryKey: [{ _id: 'queryUserActivity', rows: reportQuery }],
    queryFn: ({ signal }) => loadRows(reportQuery, signal),
    placeholderData: keepPreviousData,
    // The period of a query has a fixed end, so its result does not change.
    staleTime: Infinity,
    gcTime: CACHE_TIME_MS,
    structuralSharing: false,
  });
  return {
    rows: data,
    isStale: isPlaceholderData,
    isFetching,
    error: error === null ? undefined : toServiceError(error),
    refetch: () => void refetch(),
  };
}

/** Query of exactly the period, for the summary and exports: unlike that of a page of rows, it may be shorter than a day. */
export function getPeriodQuery({ query, from, to }: ReportQuery): UserActivityQuery {
  const { dateFrom: _from, dateTo: _to, ...filters } = query;
  return {
    ...filters,
    ...(query.dateFrom !== undefined && { dateFrom: toIsoDate(from) }),
    dateTo: toIsoDate(Math.max(to, from + 1)),
  };
}

/** Loads the summary of a period. */
const loadSummary = async (reportQuery: ReportQuery, signal: AbortSignal): Promise<UserActivitySummary> =>
  (await summarizeUserActivity({ body: getPeriodQuery(reportQuery), signal })).data;

/** Number of rows over time, by user and by address. */
export function useActivitySummary(reportQuery: ReportQuery) {
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery({
    queryKey: [{ _id: 'queryUserActivity', summary: reportQuery }],
    queryFn: ({ signal }) => loadSummary(reportQuery, signal),
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    gcTime: CACHE_TIME_MS,
  });
  return {
    summary: data,
    isStale: isPlaceholderData,
    isFetching,
    error: error === null ? undefined : toServiceError(error),
    refetch: () => void refetch(),
  };
}

/** Loads the newest rows of a query, at most `MAX_PAGE_SIZE`. */
export async function loadNewestRows(
  query: UserActivityQuery,
  signal: AbortSignal,
): Promise<UserActivityEntry[]> {
  return (await loadActivityPage(query, { pageNumber: 1, pageSize: MAX_PAGE_SIZE }, signal)).rows;
}

/**
 * Current time of the service in milliseconds, derived from the session. A report that ends in the future of the service
 * would still receive rows.
 */
export function getServerTime(client: QueryClient): number {
  const state = client.getQueryState(sessionQuery.queryKey);
  const clockOffset = state?.data ? Date.parse(state.data.serverTime) - state.dataUpdatedAt : 0;
  return Date.now() + clockOffset;
}
