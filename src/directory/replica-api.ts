import type { GroupInfoResponse } from '../../contract/generated/types.gen.ts';
import { foldText } from '../../contract/rules/fold-text.ts';
import { toServiceError } from '../api/errors.ts';
import type { SessionIdentity } from '../api/session-state.ts';
import type { Failure } from '../ui/feedback/failure.ts';
import { compareTexts, splitNameWords } from './engine/collation.ts';
import type { FacetCounts, Filters } from './engine/directory-query.ts';
import type { DirectoryQuery } from './engine/directory-query.ts';
import type { DirectoryRow } from './engine/row.ts';
import type { ResolvedPaste } from './paste/resolve-pasted.ts';
import type { PeopleIndex } from './people-index.ts';
import { refreshReplica } from './refresh-replica.ts';
import type { RefreshMode } from './refresh-replica.ts';
import { serializeQuery } from './replica-store.ts';
import type { QuerySnapshot } from './replica-store.ts';
import { openReplica } from './replica.ts';
import type { Replica } from './replica.ts';

/** State of the replica, sent to the page after every change. */
export interface ReplicaStatus {
  /** Number of users; undefined until the first page has been read. */
  size: number | undefined;
  billable: number;
  /** Omitted if unchanged since the last status. */
  groups?: readonly GroupInfoResponse[];
  complete: boolean;
  asOf: number | undefined;
  reading: boolean;
  /** Revision of the last change; an answer with the same number is still valid. */
  version: number;
}

/** Ids of all matching users in order, facet counts, and the rows around the viewed position, starting at `from`. */
export interface SearchAnswer {
  ids: Int32Array;
  counts: FacetCounts;
  from: number;
  rows: DirectoryRow[];
}

type RefreshError = Failure & { status: number; code: string | undefined };

/** Operations of the replica that the worker offers to its page. */
export interface ReplicaApi {
  /** Brings the replica up to date; returns the error, undefined after a success. */
  refresh: (mode: RefreshMode) => Promise<RefreshError | undefined>;
  search: (query: DirectoryQuery, near: number) => Promise<SearchAnswer>;
  /** Finds users for a short list; names that start with the text come first. */
  findBest: (q: string, limit: number) => Promise<DirectoryRow[]>;
  /** Number of users that a text matches. */
  count: (q: string) => Promise<number>;
  getRows: (ids: Int32Array) => Promise<DirectoryRow[]>;
  resolvePastedText: (text: string) => Promise<ResolvedPaste>;
  removeUsers: (userIds: readonly number[]) => Promise<void>;
}

// Limits re-rendering of the list while pages arrive.
const MIN_STATUS_INTERVAL_MS = 1000;
const ROWS_AROUND = 100;
// A snapshot is saved only when the user neither types nor scrolls.
const SNAPSHOT_DELAY_MS = 1500;

/** Opens the replica of a user and site; `onStatus` is called after every change. */
export async function openReplicaApi(
  identity: SessionIdentity,
  onStatus: (status: ReplicaStatus) => void,
): Promise<ReplicaApi> {
  let version = 0;
  let runningRefreshes = 0;
  let isRefreshPending = false;
  let statusSentAt = 0;
  let sentGroups: readonly GroupInfoResponse[] | undefined;
  let snapshotTimer: ReturnType<typeof setTimeout> | undefined;
  // Searches wait for the first users or for the end of the first refresh.
  const { promise: firstPeople, resolve: resolveFirstPeople } = Promise.withResolvers<void>();

  function sendStatus(): void {
    const { index, meta } = replica;
    const { size, billable } = index;
    const isUsable = size > 0 || meta.complete;
    if (isUsable) resolveFirstPeople();
    statusSentAt = Date.now();
    onStatus({
      size: isUsable ? size : undefined,
      billable,
      ...(sentGroups !== meta.groups && { groups: meta.groups }),
      complete: meta.complete,
      asOf: meta.complete ? meta.asOf : undefined,
      reading: runningRefreshes > 0,
      version,
    });
    sentGroups = meta.groups;
  }

  function handleChange(): void {
    if (!replica.meta.complete && version > 0 && Date.now() - statusSentAt < MIN_STATUS_INTERVAL_MS) return;
    version = replica.meta.changedRevision;
    sendStatus();
  }

  const replica: Replica = await openReplica(identity, () => void applyRemoteChange());
  const loading = load();

  async function load(): Promise<void> {
    // An unreadable stored replica is discarded and read again.
    await replica.load().catch(() => replica.clear());
    if (replica.meta.revision > 0) handleChange();
  }

  async function applyRemoteChange(): Promise<void> {
    await loading;
    if (await replica.loadRemoteChanges()) handleChange();
  }

  async function runRefresh(mode: RefreshMode): Promise<void> {
    await refreshReplica(replica, mode, handleChange);
    if (!isRefreshPending) return;
    isRefreshPending = false;
    await refreshReplica(replica, 'changes', handleChange);
  }

  return {
    async refresh(mode) {
      await loading;
      // During the first full read a refresh after a write is deferred instead of waiting for all pages.
      if (mode === 'changes' && !replica.meta.complete && runningRefreshes > 0) {
        isRefreshPending = true;
        return undefined;
      }
      runningRefreshes += 1;
      sendStatus();
      try {
        await runRefresh(mode);
        return undefined;
      } catch (thrown) {
        const { status, message, requestId, code } = toServiceError(thrown);
        return { status, message, requestId, code };
      } finally {
        runningRefreshes -= 1;
        resolveFirstPeople();
        sendStatus();
      }
    },
    async search(query, near) {
      await firstPeople;
      const { ids, counts } = replica.index.search(query);
      if (replica.meta.complete && query.q === '') {
        clearTimeout(snapshotTimer);
        snapshotTimer = setTimeout(
          () => void replica.saveSnapshot(createSnapshot(replica, query)),
          SNAPSHOT_DELAY_MS,
        );
      }
      const from = Math.max(0, Math.min(near - ROWS_AROUND, ids.length - 2 * ROWS_AROUND));
      return { ids, counts, from, rows: replica.index.getRows(ids.subarray(from, from + 2 * ROWS_AROUND)) };
    },
    async findBest(q, limit) {
      await firstPeople;
      return findBestMatches(replica.index, q, limit);
    },
    async count(q) {
      await firstPeople;
      return searchByName(replica.index, q).ids.length;
    },
    async getRows(ids) {
      await firstPeople;
      return replica.index.getRows(ids);
    },
    async resolvePastedText(text) {
      await firstPeople;
      return replica.index.resolvePastedText(text);
    },
    async removeUsers(userIds) {
      await loading;
      await replica.applyChange(() => ({ removedIds: userIds }));
      handleChange();
    },
  };
}

const MAX_SNAPSHOT_ROWS = 100;

function createSnapshot({ index, meta }: Replica, query: DirectoryQuery): QuerySnapshot {
  const { ids, counts } = index.search(query);
  const { size, billable } = index;
  const rows = index.getRows(ids.subarray(0, MAX_SNAPSHOT_ROWS));
  return {
    queryKey: serializeQuery(query),
    savedAt: Date.now(),
    changedRevision: meta.changedRevision,
    asOf: meta.asOf,
    size,
    billable,
    ids,
    counts,
    rows,
  };
}

const NO_FILTERS: Filters = { status: [], license: [], group: [], twoFactor: [], addresses: [], changed: [] };

const searchByName = (index: PeopleIndex, q: string) =>
  index.search({ q, filters: NO_FILTERS, sort: { by: 'name', descending: false } });

/** Returns the first matches, users whose name starts with the text before the others. */
function findBestMatches(index: PeopleIndex, q: string, limit: number): DirectoryRow[] {
  const { ids } = searchByName(index, q);
  const prefix = foldText(q.trim());
  // In name order, the names with this prefix are contiguous: a binary search finds the first.
  const from = findFirstFalse(ids.length, (at) => isNameBefore(index, ids[at] ?? 0, prefix));
  const candidates = index.getRows(ids.subarray(from, from + limit));
  const prefixMatches = candidates.filter(({ foldedName }) => foldedName.startsWith(prefix));
  const prefixMatchIds = new Set(prefixMatches.map(({ id }) => id));
  const others = index.getRows(ids.subarray(0, 2 * limit)).filter(({ id }) => !prefixMatchIds.has(id));
  return [...prefixMatches, ...others].slice(0, limit);
}

function isNameBefore(index: PeopleIndex, id: number, prefix: string): boolean {
  const [row] = index.getRows([id]);
  return row !== undefined && compareTexts(splitNameWords(row.name), splitNameWords(prefix)) < 0;
}

/** Returns the first index for which the predicate is false; it must be true for all indexes before. */
function findFirstFalse(length: number, predicate: (at: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (predicate(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
