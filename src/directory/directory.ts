import { keepPreviousData, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import type { QueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { GroupInfoResponse } from '../../contract/generated/types.gen.ts';
import { NO_ANSWER, ServiceError, toServiceError } from '../api/errors.ts';
import { searchUsersQueryKey } from '../api/generated/queries/users.gen.ts';
import { getSession } from '../api/generated/sdk/session.gen.ts';
import { getSessionIdentity, sessionQuery } from '../api/session-query.ts';
import {
  requestSessionRefresh,
  isPageActing,
  isSameIdentity,
  recordSessionUse,
} from '../api/session-state.ts';
import type { SessionIdentity } from '../api/session-state.ts';
import { useSession } from '../api/session.ts';
import { followedSince } from '../api/site-changes.ts';
import { useStore } from '../ui/store.ts';
import type { RowSource } from '../ui/table/row-source.ts';
import { getDirectorySession } from './directory-session.ts';
import type { FacetCounts } from './engine/directory-query.ts';
import type { DirectoryQuery } from './engine/directory-query.ts';
import type { DirectoryRow } from './engine/row.ts';
import type { ResolvedPaste } from './paste/resolve-pasted.ts';
import type { RefreshMode } from './refresh-replica.ts';
import type { SearchAnswer } from './replica-api.ts';
import { serializeQuery } from './replica-store.ts';
import { createWindowedRows, lastViewed } from './windowed-rows.ts';
import { connectWorker, workerStatus } from './worker-client.ts';

const STALE_TIME_MS = 60_000;
/** While changes are reported: for what no event tells of, and for a full reading from time to time. */
const FOLLOWED_INTERVAL_MS = 600_000;
const NO_GROUPS: readonly GroupInfoResponse[] = [];

let isFullRefreshRequested = false;

function getRefreshMode(isInvalidated: boolean | undefined): RefreshMode {
  if (isFullRefreshRequested) return 'everything';
  return isInvalidated ? 'changes' : 'due';
}

/**
 * Keeps the directory in the worker up to date. Its key starts with `searchUsers`, so that every write that invalidates
 * user reads also refreshes the directory.
 */
export const directoryQuery = queryOptions({
  queryKey: [{ ...searchUsersQueryKey()[0], directory: true }],
  async queryFn({ client, queryKey }): Promise<number> {
    const mode = getRefreshMode(client.getQueryState(queryKey)?.isInvalidated);
    isFullRefreshRequested = false;
    const { api, failure } = connectWorker(getSessionIdentity(await client.ensureQueryData(sessionQuery)));
    const startedAt = Date.now();
    const refresh = () => Promise.race([api.refresh(mode), failure]);
    let refusal = await refresh();
    if (refusal && refusal.code !== NO_ANSWER && [0, 401, 502, 503, 504].includes(refusal.status)) {
      // A call of the page itself opens the sign-in dialog or the connection banner.
      await getSession();
      refusal = await refresh();
    }
    // A change of acting in another tab can be the reason: the session is read again (app/session/session.ts).
    if (refusal?.status === 409 || (refusal?.status === 403 && isPageActing())) requestSessionRefresh();
    if (refusal) throw new ServiceError(refusal.status, refusal.message, [], refusal.requestId, refusal.code);
    // Calls of the worker also count as use of the session.
    recordSessionUse(startedAt);
    return Date.now();
  },
  // The worker retries by itself.
  retry: false,
  staleTime: STALE_TIME_MS,
  // Once more at the short interval after changes are reported: those just before have not been.
  refetchInterval: ({ state: { dataUpdatedAt } }) =>
    dataUpdatedAt > (followedSince.get() ?? Infinity) ? FOLLOWED_INTERVAL_MS : STALE_TIME_MS,
  gcTime: Infinity,
});

/** State of the directory. */
export interface Directory {
  /** Number of users; undefined until the first page has been read. */
  size: number | undefined;
  /** Number of billable licenses (spec 2.2). */
  billable: number;
  groups: readonly GroupInfoResponse[];
  /** Whether all users have been read; until then `size` grows page by page. */
  complete: boolean;
  asOf: number | undefined;
  refreshing: boolean;
  error: ServiceError | undefined;
  /** Reads all users again; rows on screen stay. */
  refresh: () => void;
  /** Changes whenever rows have changed. */
  version: number;
}

/** Returns the directory of the site and keeps it up to date while a component uses it. */
export function useDirectory(): Directory {
  const identity = getSessionIdentity(useSession());
  const { error, isFetching, refetch } = useQuery(directoryQuery);
  const current = useStore(workerStatus);
  const status = current && isSameIdentity(current.identity, identity) ? current.status : undefined;
  return {
    size: status?.size,
    billable: status?.billable ?? 0,
    groups: status?.groups ?? NO_GROUPS,
    complete: status?.complete ?? false,
    asOf: status?.asOf,
    refreshing: isFetching || (status?.reading ?? false),
    error: error === null ? undefined : toServiceError(error),
    refresh() {
      isFullRefreshRequested = true;
      void refetch();
    },
    version: status?.version ?? 0,
  };
}

/** Result of a search in the directory. */
export interface DirectorySearchResult {
  /** Ids of all matching users in order. */
  ids: Int32Array;
  /** Facet counts: how many users each value of a filter would show with the other filters unchanged. */
  counts: FacetCounts;
  rows: RowSource<DirectoryRow>;
}

// Searches run one at a time; one that was superseded before its start is skipped.
let lastSearch: Promise<unknown> = Promise.resolve();

function searchInWorker(
  identity: SessionIdentity,
  query: DirectoryQuery,
  signal: AbortSignal,
): Promise<SearchAnswer> {
  const result = lastSearch.then(() => {
    signal.throwIfAborted();
    const { api, failure } = connectWorker(identity);
    return Promise.race([api.search(query, lastViewed.at), failure]);
  });
  lastSearch = result.catch(() => undefined);
  return result;
}

async function searchDirectory(
  identity: SessionIdentity,
  query: DirectoryQuery,
  signal: AbortSignal,
): Promise<DirectorySearchResult> {
  // A stored answer does not wait for a search that waits for the worker.
  const snapshot = await connectWorker(identity).readSnapshot(serializeQuery(query));
  const answer = snapshot ? { ...snapshot, from: 0 } : await searchInWorker(identity, query, signal);
  return { ids: answer.ids, counts: answer.counts, rows: createWindowedRows(answer, readDirectoryRows) };
}

/** Searches the directory; the previous result stays until the next one arrives. */
export function useDirectorySearch(query: DirectoryQuery): DirectorySearchResult | undefined {
  const identity = getSessionIdentity(useSession());
  const { version } = useDirectory();
  const { q, filters, sort } = query;
  const { data } = useQuery({
    queryKey: [{ _id: 'directory', identity, version, q, filters, sort }],
    queryFn: ({ signal }) => searchDirectory(identity, { q, filters, sort }, signal),
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    gcTime: 0,
    structuralSharing: false,
  });
  return data;
}

/** Restricts a result to the given ids and keeps its order. */
export function restrictToIds(
  result: DirectorySearchResult,
  allowedIds: ReadonlySet<number | string>,
): DirectorySearchResult {
  const ids = result.ids.filter((id) => allowedIds.has(id));
  const rows = createWindowedRows({ ids, from: 0, rows: [] }, readDirectoryRows);
  return { ...result, ids, rows };
}

/** Reads the rows of users in the order of the ids; unknown ids are omitted. */
export const readDirectoryRows = async (ids: Iterable<number>): Promise<DirectoryRow[]> =>
  (await connectDirectory()).getRows(Int32Array.from(ids));

/** Returns the ids of all matching users in order. */
export const findAllIds = async (query: DirectoryQuery): Promise<Int32Array> =>
  (await (await connectDirectory()).search(query, 0)).ids;

/** Finds users by name, e-mail or id for a short list; names that start with the text come first. */
export const findPeople = async (q: string, limit: number): Promise<DirectoryRow[]> =>
  (await connectDirectory()).findBest(q, limit);

/** Returns how many users match a text. */
export const countPeople = async (q: string): Promise<number> => (await connectDirectory()).count(q);

/** Returns the rows of the given users by id; those that the directory does not have are looked for once. */
export function usePeopleById(ids: readonly number[]): ReadonlyMap<number, DirectoryRow> {
  const identity = getSessionIdentity(useSession());
  const client = useQueryClient();
  const { version, size, complete } = useDirectory();
  const { data, isPlaceholderData } = useQuery({
    queryKey: [{ _id: 'directory', identity, version, ids }],
    queryFn: async () => new Map((await readDirectoryRows(ids)).map((row) => [row.id, row])),
    enabled: size !== undefined,
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    gcTime: 0,
    structuralSharing: false,
  });
  const missing = data && complete && !isPlaceholderData ? ids.filter((id) => !data.has(id)).join() : '';
  const { siteId } = identity;
  useEffect(() => {
    // The directory shows the error of a failed read.
    if (missing !== '') readNewUsers(client, siteId, missing).catch(() => undefined);
  }, [client, siteId, missing]);
  return data ?? NO_PEOPLE;
}

/** Users that were missing from the directory and were asked for, as `site:user`. */
const askedUsers = new Set<string>();

/**
 * Reads changes if users are missing for the first time: they may have joined since the last refresh, such as somebody who
 * has just accepted an invitation. Former members stay missing and are not asked for again.
 */
async function readNewUsers(client: QueryClient, siteId: number, missingIds: string): Promise<void> {
  const { size } = askedUsers;
  for (const id of missingIds.split(',')) askedUsers.add(`${siteId}:${id}`);
  if (askedUsers.size === size) return;
  // The first read of the page may skip changes that were read recently, and would absorb the invalidation.
  await client.ensureQueryData(directoryQuery);
  await client.invalidateQueries({ queryKey: directoryQuery.queryKey });
}

const NO_PEOPLE: ReadonlyMap<number, DirectoryRow> = new Map();

/** Resolves the users named in a pasted text. */
export const resolvePastedText = async (text: string): Promise<ResolvedPaste> =>
  (await connectDirectory()).resolvePastedText(text);

/** Removes deleted users from the directory: `modifiedSince` does not report them. */
export function removeFromDirectory(client: QueryClient, userIds: readonly number[]): void {
  const session = client.getQueryData(sessionQuery.queryKey);
  if (session) void connectWorker(getSessionIdentity(session)).api.removeUsers(userIds);
}

/** Returns the worker's operations for use outside components; opens the directory if necessary. */
async function connectDirectory() {
  const { client, identity } = await getDirectorySession();
  void client.prefetchQuery(directoryQuery);
  return connectWorker(identity).api;
}
