import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import type { AgentCall, ListAgentCallsData } from '../../../../contract/generated/types.gen.ts';
import { formatCsv } from '../../../../contract/rules/tables/csv.ts';
import { toServiceError } from '../../../api/errors.ts';
import {
  listAgentCallsQueryKey,
  summarizeAgentCallsOptions,
} from '../../../api/generated/queries/agent.gen.ts';
import { listAgentCalls } from '../../../api/generated/sdk/agent.gen.ts';
import { describeCall } from './describe-call.ts';
import type { LedgerSearch } from './ledger-search.ts';
import { getPeriodStart, getRange, toCallFilter } from './ledger-view.ts';
import type { Range } from './ledger-view.ts';
import type { SchemaNames } from './queries.ts';

export type CallQuery = NonNullable<ListAgentCallsData['query']>;

const PAGE_SIZE = 100;
const LARGE_PAGE_SIZE = 1000;
const REFRESH_MS = 15_000;
const TICK_MS = 30_000;

/** Start of the period of the ledger; moves on while the page is open. */
function usePeriodStart(range: Range): string {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return getPeriodStart(range, now).toISOString();
}

/** The calls of a view as the service takes them. */
export function useCallQuery(view: LedgerSearch): CallQuery {
  const dateFrom = usePeriodStart(getRange(view));
  return useMemo(() => ({ ...toCallFilter(view), dateFrom }), [view, dateFrom]);
}

/**
 * Calls that match, newest first, page by page. The first page is read again regularly until more are loaded. Pages stay loaded when the
 * start of the period moves on.
 */
export function useCalls(query: CallQuery, { days }: Range) {
  const { dateFrom: _, ...filter } = query;
  const { data, error, isFetching, isFetchingNextPage, hasNextPage, fetchNextPage, refetch } =
    useInfiniteQuery({
      queryKey: [{ ...listAgentCallsQueryKey({ query: filter })[0], pages: true, days }],
      queryFn: async ({ pageParam, signal }) =>
        (
          await listAgentCalls({
            signal,
            query: { ...query, pageSize: PAGE_SIZE, ...(pageParam !== undefined && { before: pageParam }) },
          })
        ).data,
      initialPageParam: undefined as number | undefined,
      getNextPageParam: ({ nextBefore }) => nextBefore ?? undefined,
      staleTime: 0,
      refetchInterval: ({ state }) => (state.data && state.data.pages.length > 1 ? false : REFRESH_MS),
      placeholderData: keepPreviousData,
    });
  return {
    calls: useMemo(() => data?.pages.flatMap(({ calls }) => calls), [data]),
    error: error === null ? undefined : toServiceError(error),
    isFetching,
    isLoadingMore: isFetchingNextPage,
    hasMore: hasNextPage,
    loadMore: () => void fetchNextPage({ cancelRefetch: false }),
    refetch: () => void refetch(),
  };
}

/** Counts of the calls that match; read again regularly. */
export function useCallSummary(query: CallQuery, { bucketMinutes }: Range, enabled = true) {
  return useQuery({
    ...summarizeAgentCallsOptions({ query: { ...query, bucketMinutes } }),
    staleTime: 0,
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
    enabled,
  });
}

/** Reads all calls that match, newest first, up to a number. @throws ServiceError */
export async function readCalls(
  query: CallQuery,
  maxCalls: number,
  signal?: AbortSignal,
): Promise<AgentCall[]> {
  const calls: AgentCall[] = [];
  let before: number | undefined;
  do {
    const { data } = await listAgentCalls({
      query: { ...query, pageSize: LARGE_PAGE_SIZE, ...(before !== undefined && { before }) },
      ...(signal && { signal }),
    });
    calls.push(...data.calls);
    before = data.nextBefore ?? undefined;
  } while (before !== undefined && calls.length < maxCalls);
  return calls.slice(0, maxCalls);
}

const HEADINGS = [
  'Time',
  'Agent',
  'For',
  'For, user id',
  'Call',
  'Tool',
  'Outcome',
  'Entry type',
  'Fields',
  'Entry ids',
  'Rows',
  'Bytes',
  'Milliseconds',
  'As of',
  'Values that look like instructions',
  'Client',
  'Address',
  'Arguments',
];

/** Calls as a CSV file. */
export const formatCallsCsv = (calls: readonly AgentCall[], names: SchemaNames): string =>
  formatCsv([
    HEADINGS,
    ...calls.map((call) => [
      call.date,
      call.keyName,
      call.userName,
      call.userId,
      describeCall(call, names),
      call.tool,
      call.outcome,
      call.entryTypeId === null ? '' : names.getTypeName(call.entryTypeId),
      call.fieldIds.map(names.getFieldName).join(', '),
      call.entryIds.join(' '),
      call.rows,
      call.bytes,
      call.durationMs,
      call.asOf ?? '',
      call.flags.map(({ entryId, fieldId }) => `${entryId}: ${names.getFieldName(fieldId)}`).join(', '),
      `${call.clientName} ${call.clientVersion}`.trim(),
      call.ipAddress,
      JSON.stringify(call.arguments),
    ]),
  ]);
