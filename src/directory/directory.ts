import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import type { QueryClient } from '@tanstack/react-query';
import { toServiceError } from '../api/errors.ts';
import type { ServiceError } from '../api/errors.ts';
import { searchUsersQueryKey } from '../api/generated/@tanstack/react-query.gen.ts';
import type { GroupInfoResponse } from '../api/generated/types.gen.ts';
import { readAgain, RECONCILE } from './load.ts';
import type { Snapshot } from './load.ts';
import type { DirectoryRow } from './row.ts';

const FRESH = 60_000;

/**
 * The site's users, licenses and groups. It is headed by `searchUsers`, so that every write that makes users
 * stale (api/effects.ts) brings it up to date as well.
 */
export const directoryQuery = queryOptions({
  queryKey: [{ ...searchUsersQueryKey()[0], directory: true }],
  queryFn: ({ client, queryKey, signal }): Promise<Snapshot> =>
    readAgain(client.getQueryData<Snapshot>(queryKey), signal, (part) => client.setQueryData(queryKey, part)),
  staleTime: FRESH,
  refetchInterval: ({ state: { data } }) => data && Math.max(FRESH, data.asOf + RECONCILE - Date.now()),
  gcTime: Infinity,
  // Rows are new objects only where the user changed; comparing a hundred thousand would cost more.
  structuralSharing: false,
});

export interface Directory {
  /** Undefined until the first page is there. */
  rows: readonly DirectoryRow[] | undefined;
  groups: readonly GroupInfoResponse[];
  /** Whether everybody is there; until then `rows` grows by pages. */
  complete: boolean;
  asOf: number | undefined;
  refreshing: boolean;
  error: ServiceError | undefined;
  /** Reads everything again; what is on screen stays meanwhile. */
  refresh: () => void;
}

const NO_GROUPS: readonly GroupInfoResponse[] = [];

/** The whole directory of the site, kept up to date while a page follows it. */
export function useDirectory(): Directory {
  const client = useQueryClient();
  const { data, error, isFetching, refetch } = useQuery(directoryQuery);
  return {
    rows: data?.rows,
    groups: data?.groups ?? NO_GROUPS,
    complete: data?.complete ?? false,
    asOf: data?.asOf,
    refreshing: isFetching,
    error: error === null ? undefined : toServiceError(error),
    refresh() {
      client.setQueryData(directoryQuery.queryKey, (before) => before && { ...before, reconcile: true });
      void refetch();
    },
  };
}

/** Takes removed users out: `modifiedSince` does not tell who is gone. */
export function forgetUsers(client: QueryClient, userIds: readonly number[]): void {
  const gone = new Set(userIds);
  client.setQueryData(
    directoryQuery.queryKey,
    (before) => before && { ...before, rows: before.rows.filter(({ id }) => !gone.has(id)) },
  );
}
