import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { toServiceError } from '../../../api/errors.ts';
import { queryUserActivity, summarizeUserActivity } from '../../../api/generated/sdk.gen.ts';
import type {
  UserActivityEntry,
  UserActivityQuery,
  UserActivitySummary,
} from '../../../api/generated/types.gen.ts';
import type { RowSource } from '../../../ui/table/row-source.ts';
import { pagedRows } from './paged.ts';
import { iso } from './question.ts';
import type { Question } from './question.ts';
import type { ActivityRow } from './row.ts';

/** How many rows are read at once, here and for what comes newly. */
export const PAGE = 100;
/** As many as the service gives at once (shapes 1). */
export const LARGEST_PAGE = 1000;
const KEEP = 60_000;

/** A page of the report with the number of all matches. */
export async function readActivity(
  body: UserActivityQuery,
  page: { pageNumber: number; pageSize: number },
  signal?: AbortSignal,
) {
  return (await queryUserActivity({ body, query: page, ...(signal && { signal }) })).data;
}

/** How many of the query's rows lie before the period (./-question.ts). */
async function countBefore({ before }: Question, signal?: AbortSignal): Promise<number> {
  if (!before) return 0;
  return (await readActivity(before, { pageNumber: 1, pageSize: 1 }, signal)).totalRecords;
}

async function readRows(question: Question, signal: AbortSignal): Promise<RowSource<ActivityRow>> {
  const page = (pageNumber: number) => ({ pageNumber, pageSize: PAGE });
  const [first, before] = await Promise.all([
    readActivity(question.query, page(1), signal),
    countBefore(question, signal),
  ]);
  return pagedRows<ActivityRow>({
    length: Math.max(0, first.totalRecords - before),
    size: PAGE,
    first: first.rows,
    read: async (number) => (await readActivity(question.query, page(number))).rows,
  });
}

/** The rows of the report; those of the last question stay until the next are there. */
export function useActivity(question: Question) {
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery({
    queryKey: [{ _id: 'queryUserActivity', rows: question }],
    queryFn: ({ signal }) => readRows(question, signal),
    placeholderData: keepPreviousData,
    // A question ends at a moment: its answer stays the same.
    staleTime: Infinity,
    gcTime: KEEP,
    structuralSharing: false,
  });
  return {
    rows: data,
    stale: isPlaceholderData,
    isFetching,
    error: error === null ? undefined : toServiceError(error),
    refetch: () => void refetch(),
  };
}

/** What the chart and the lists beside it tell: of a period of any length, for only rows are told by the day. */
async function readSummary({ query, from, to }: Question, signal: AbortSignal): Promise<UserActivitySummary> {
  const { dateFrom: _from, dateTo: _to, ...filters } = query;
  const period = {
    ...(query.dateFrom !== undefined && { dateFrom: iso(from) }),
    dateTo: iso(Math.max(to, from + 1)),
  };
  return (await summarizeUserActivity({ body: { ...filters, ...period }, signal })).data;
}

/** The filtered result counted: over time, by person and by address. */
export function useSummary(question: Question) {
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery({
    queryKey: [{ _id: 'queryUserActivity', summary: question }],
    queryFn: ({ signal }) => readSummary(question, signal),
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    gcTime: KEEP,
  });
  return {
    summary: data,
    stale: isPlaceholderData,
    isFetching,
    error: error === null ? undefined : toServiceError(error),
    refetch: () => void refetch(),
  };
}

/** The newest rows of a query, as many as the service gives at once. */
export async function readNewest(
  query: UserActivityQuery,
  signal: AbortSignal,
): Promise<UserActivityEntry[]> {
  return (await readActivity(query, { pageNumber: 1, pageSize: LARGEST_PAGE }, signal)).rows;
}
