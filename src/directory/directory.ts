import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import type { QueryClient } from '@tanstack/react-query';
import { ServiceError, toServiceError } from '../api/errors.ts';
import { searchUsersQueryKey } from '../api/generated/@tanstack/react-query.gen.ts';
import { getSession } from '../api/generated/sdk.gen.ts';
import type { GroupInfoResponse } from '../api/generated/types.gen.ts';
import { holderOf, sessionQuery } from '../api/session-query.ts';
import { useSession } from '../api/session.ts';
import { askForSession, heldActing, isSameHolder, usedAt } from '../api/session-gate.ts';
import type { Holder } from '../api/session-gate.ts';
import { useStore } from '../ui/store.ts';
import type { RowSource } from '../ui/table/row-source.ts';
import type { Counts } from './facets.ts';
import { wordsOf } from './glance.ts';
import type { Resolved } from './paste.ts';
import { connect, told } from './remote.ts';
import type { DirectoryRow } from './row.ts';
import type { DirectoryQuery } from './search.ts';
import type { Wish } from './sync.ts';
import { visitor } from './visitor.ts';
import type { Answer } from './keeper.ts';

const FRESH = 60_000;
const NO_GROUPS: readonly GroupInfoResponse[] = [];

let everythingWished = false;

function wishOf(isInvalidated: boolean | undefined): Wish {
  if (everythingWished) return 'everything';
  return isInvalidated ? 'changes' : 'due';
}

/**
 * Keeps the copy of the site's users, licenses and groups up to date; the copy itself is the worker's. It is headed by
 * `searchUsers`, so that every write that makes users stale (api/effects.ts) brings it up to date as well.
 */
export const directoryQuery = queryOptions({
  queryKey: [{ ...searchUsersQueryKey()[0], directory: true }],
  async queryFn({ client, queryKey }): Promise<number> {
    const wish = wishOf(client.getQueryState(queryKey)?.isInvalidated);
    everythingWished = false;
    const { remote, broken } = connect(holderOf(await client.ensureQueryData(sessionQuery)));
    const began = Date.now();
    const bring = () => Promise.race([remote.bringUpToDate(wish), broken]);
    let refusal = await bring();
    if (refusal && [0, 401, 502, 503, 504].includes(refusal.status)) {
      // The page learns the same, as it does from every call: it asks to sign in again, or says that nobody answers.
      await getSession();
      refusal = await bring();
    }
    // It may be refused because the acting has ended or begun elsewhere: the page follows then (shell/session.ts).
    if (refusal?.status === 409 || (refusal?.status === 403 && heldActing())) askForSession();
    if (refusal) throw new ServiceError(refusal.status, refusal.message, [], refusal.requestId);
    // The worker's calls are a use of the session as well.
    usedAt(began);
    return Date.now();
  },
  // The worker itself asks again.
  retry: false,
  staleTime: FRESH,
  refetchInterval: FRESH,
  gcTime: Infinity,
});

export interface Directory {
  /** How many there are; undefined until the first page is there. */
  size: number | undefined;
  /** How many licenses are billed (spec 2.2). */
  billable: number;
  groups: readonly GroupInfoResponse[];
  /** Whether everybody is there; until then `size` grows by pages. */
  complete: boolean;
  asOf: number | undefined;
  refreshing: boolean;
  error: ServiceError | undefined;
  /** Reads everything again; what is on screen stays meanwhile. */
  refresh: () => void;
  /** Another one whenever rows have changed. */
  version: number;
}

/** The whole directory of the site, kept up to date while a page follows it. */
export function useDirectory(): Directory {
  const holder = holderOf(useSession());
  const { error, isFetching, refetch } = useQuery(directoryQuery);
  const known = useStore(told);
  const status = known && isSameHolder(known.holder, holder) ? known.status : undefined;
  return {
    size: status?.size,
    billable: status?.billable ?? 0,
    groups: status?.groups ?? NO_GROUPS,
    complete: status?.complete ?? false,
    asOf: status?.asOf,
    refreshing: isFetching || (status?.reading ?? false),
    error: error === null ? undefined : toServiceError(error),
    refresh() {
      everythingWished = true;
      void refetch();
    },
    version: status?.version ?? 0,
  };
}

/** Whoever matches a search. */
export interface FoundPeople {
  /** Everybody, in order. */
  ids: Int32Array;
  /** For each filter: how many people its values would show, all else being as it is. */
  counts: Counts;
  rows: RowSource<DirectoryRow>;
}

// One search at a time: what was typed over meanwhile is not searched for.
let searching: Promise<unknown> = Promise.resolve();

async function search(holder: Holder, query: DirectoryQuery, signal: AbortSignal): Promise<FoundPeople> {
  const turn = searching.then(async () => {
    signal.throwIfAborted();
    const { remote, broken, glance } = connect(holder);
    const last = await glance();
    if (last?.words === wordsOf(query)) return { ...last, from: 0 };
    return Promise.race([remote.search(query, looking.at), broken]);
  });
  searching = turn.catch(() => undefined);
  const answer = await turn;
  return { ids: answer.ids, counts: answer.counts, rows: windowed(answer, rowsOf) };
}

/** Whoever matches; the last answer stays until the next is there. */
export function useFound(query: DirectoryQuery): FoundPeople | undefined {
  const holder = holderOf(useSession());
  const { version } = useDirectory();
  const { q, filters, sort } = query;
  const { data } = useQuery({
    queryKey: [{ _id: 'directory', holder, version, q, filters, sort }],
    queryFn: ({ signal }) => search(holder, { q, filters, sort }, signal),
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    gcTime: 0,
    structuralSharing: false,
  });
  return data;
}

/** Those of them who are among these, in the same order. */
export function among(found: FoundPeople, chosen: ReadonlySet<number | string>): FoundPeople {
  const ids = found.ids.filter((id) => chosen.has(id));
  const rows = windowed({ ids, from: 0, rows: [] }, rowsOf);
  return { ...found, ids, rows };
}

/** The rows of these people, in the order asked; unknown ids are left out. */
export const rowsOf = async (ids: Iterable<number>): Promise<DirectoryRow[]> =>
  (await connection()).rowsOf(Int32Array.from(ids));

/** Everybody who matches, in order. */
export const findAll = async (query: DirectoryQuery): Promise<Int32Array> =>
  (await (await connection()).search(query, 0)).ids;

/** People by name, e-mail or id, for the palette and for choosing somebody; names that begin so come first. */
export const findPeople = async (q: string, limit: number): Promise<DirectoryRow[]> =>
  (await connection()).findBest(q, limit);

/** The people behind a page of ids, as far as they are known. */
export function usePeople(ids: readonly number[]): ReadonlyMap<number, DirectoryRow> {
  const holder = holderOf(useSession());
  const { version, size } = useDirectory();
  const { data } = useQuery({
    queryKey: [{ _id: 'directory', holder, version, ids }],
    queryFn: async () => new Map((await rowsOf(ids)).map((row) => [row.id, row])),
    enabled: size !== undefined,
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    gcTime: 0,
    structuralSharing: false,
  });
  return data ?? NOBODY;
}

const NOBODY: ReadonlyMap<number, DirectoryRow> = new Map();

/** Who is meant by a pasted text. */
export const resolveText = async (text: string): Promise<Resolved> => (await connection()).resolve(text);

/** Takes removed users out: `modifiedSince` does not tell who is gone. */
export function forgetUsers(client: QueryClient, userIds: readonly number[]): void {
  const session = client.getQueryData(sessionQuery.queryKey);
  if (session) void connect(holderOf(session)).remote.forget(userIds);
}

/** For whoever asks outside a component: the directory is opened if it is not yet. */
async function connection() {
  const { client, holder } = await visitor();
  void client.prefetchQuery(directoryQuery);
  return connect(holder).remote;
}

const BLOCK = 100;
// Some thousand rows are held; whoever scrolls on lets go of those seen first.
const MOST_BLOCKS = 40;

/** The place that was looked at last: the next answer brings its rows with it. */
const looking = { at: 0 };

/**
 * Rows of an answer by their place. Those that are not there are fetched in blocks, with the blocks beside them, so
 * that scrolling finds them there.
 */
function windowed(
  { ids, from, rows }: Omit<Answer, 'counts'>,
  fetchRows: (ids: Int32Array) => Promise<DirectoryRow[]>,
): RowSource<DirectoryRow> {
  const known = new Map(rows.map((row) => [row.id, row]));
  const asked = new Map<number, Int32Array>();
  const listeners = new Set<() => void>();
  let turn = 0;
  for (let block = Math.ceil(from / BLOCK); (block + 1) * BLOCK <= from + rows.length; block += 1)
    asked.set(block, ids.subarray(block * BLOCK, (block + 1) * BLOCK));

  const letGo = () => {
    for (const [block, gone] of asked) {
      if (asked.size <= MOST_BLOCKS) return;
      asked.delete(block);
      for (const id of gone) known.delete(id);
    }
  };

  const fetchBlock = async (block: number) => {
    const wanted = ids.subarray(block * BLOCK, (block + 1) * BLOCK);
    if (block < 0 || wanted.length === 0 || asked.has(block)) return;
    asked.set(block, wanted);
    letGo();
    try {
      for (const row of await fetchRows(wanted.slice())) known.set(row.id, row);
      turn += 1;
      for (const listener of listeners) listener();
    } catch {
      asked.delete(block);
    }
  };

  return {
    length: ids.length,
    idAt: (index) => ids[index],
    at(index) {
      const id = ids[index];
      if (id === undefined) return undefined;
      looking.at = index;
      const block = Math.floor(index / BLOCK);
      for (const each of [block, block + 1, block - 1]) {
        if (!asked.has(each)) void fetchBlock(each);
      }
      return known.get(id);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    turn: () => turn,
  };
}
