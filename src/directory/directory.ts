import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import type { QueryClient } from '@tanstack/react-query';
import { useDeferredValue, useMemo } from 'react';
import { toServiceError } from '../api/errors.ts';
import type { ServiceError } from '../api/errors.ts';
import { searchUsersQueryKey } from '../api/generated/@tanstack/react-query.gen.ts';
import type { GroupInfoResponse } from '../api/generated/types.gen.ts';
import { fold } from '../lib/fold.ts';
import type { RowSource } from '../ui/table/row-source.ts';
import type { Counts, Filters } from './facets.ts';
import { readAgain, RECONCILE } from './load.ts';
import type { Snapshot } from './load.ts';
import type { Resolved } from './paste.ts';
import { createIndex } from './people-index.ts';
import type { DirectoryRow } from './row.ts';
import type { DirectoryQuery } from './search.ts';

const FRESH = 60_000;

/**
 * The site's users, licenses and groups. It is headed by `searchUsers`, so that every write that makes users
 * stale (api/effects.ts) brings it up to date as well.
 */
export const directoryQuery = queryOptions({
  queryKey: [{ ...searchUsersQueryKey()[0], directory: true }],
  async queryFn({ client, queryKey, signal }): Promise<Snapshot> {
    const show = (part: Snapshot) => {
      follow(part);
      client.setQueryData(queryKey, part);
      return part;
    };
    return show(await readAgain(client.getQueryData<Snapshot>(queryKey), signal, show));
  },
  staleTime: FRESH,
  refetchInterval: ({ state: { data } }) => data && Math.max(FRESH, data.asOf + RECONCILE - Date.now()),
  gcTime: Infinity,
  // Rows are new objects only where the user changed; comparing a hundred thousand would cost more.
  structuralSharing: false,
});

let index = createIndex();
let version = 0;

function follow({ rows, groups }: Snapshot): void {
  index = createIndex();
  index.upsert(rows);
  index.setGroups(groups);
  version += 1;
}

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
  /** Grows whenever rows have changed. */
  version: number;
}

/** Whoever matches a search. */
export interface FoundPeople {
  /** Everybody, in order. */
  ids: Int32Array;
  /** For each filter: how many people its values would show, all else being as it is. */
  counts: Counts;
  rows: RowSource<DirectoryRow>;
}

const NO_FILTERS: Filters = { status: [], license: [], group: [], twoFactor: [], addresses: [], changed: [] };
const NO_GROUPS: readonly GroupInfoResponse[] = [];

/** The whole directory of the site, kept up to date while a page follows it. */
export function useDirectory(): Directory {
  const client = useQueryClient();
  const { data, error, isFetching, refetch } = useQuery(directoryQuery);
  return {
    size: data && index.size,
    billable: index.billable,
    groups: data?.groups ?? NO_GROUPS,
    complete: data?.complete ?? false,
    asOf: data?.asOf,
    refreshing: isFetching,
    error: error === null ? undefined : toServiceError(error),
    refresh() {
      client.setQueryData(directoryQuery.queryKey, (before) => before && { ...before, reconcile: true });
      void refetch();
    },
    version,
  };
}

/** Whoever matches; the last answer stays until the next is there. */
export function useFound(query: DirectoryQuery): FoundPeople | undefined {
  const { size, version: now } = useDirectory();
  const asked = useDeferredValue(query);
  return useMemo(() => {
    if (size === undefined || now === 0) return undefined;
    const { ids, counts } = index.search(asked);
    const idAt = (at: number) => ids[at];
    const at = (place: number) => index.rowsOf(ids.slice(place, place + 1))[0];
    return { ids, counts, rows: { length: ids.length, idAt, at } };
  }, [size, now, asked]);
}

/** The rows of these people, in the order asked; unknown ids are left out. */
export async function rowsOf(ids: Iterable<number>): Promise<DirectoryRow[]> {
  return index.rowsOf(ids);
}

/** Everybody who matches, in order. */
export async function findAll(query: DirectoryQuery): Promise<Int32Array> {
  return index.search(query).ids;
}

/** People by name, e-mail or id, for the palette and for choosing somebody; names that begin so come first. */
export async function findPeople(q: string, limit: number): Promise<DirectoryRow[]> {
  const ids = await findAll({ q, filters: NO_FILTERS, sort: { by: 'name', descending: false } });
  const rows = await rowsOf(ids);
  const begin = fold(q.trim());
  const begins = ({ foldedName }: DirectoryRow) => foldedName.startsWith(begin);
  return [...rows.filter(begins), ...rows.filter((row) => !begins(row))].slice(0, limit);
}

/** The people behind a page of ids, as far as they are known. */
export function usePeople(ids: readonly number[]): ReadonlyMap<number, DirectoryRow> {
  const { version: now } = useDirectory();
  return useMemo(() => new Map(now > 0 ? index.rowsOf(ids).map((row) => [row.id, row]) : []), [ids, now]);
}

/** Who is meant by a pasted text. */
export async function resolveText(text: string): Promise<Resolved> {
  return index.resolve(text);
}

/** Takes removed users out: `modifiedSince` does not tell who is gone. */
export function forgetUsers(client: QueryClient, userIds: readonly number[]): void {
  const gone = new Set(userIds);
  client.setQueryData(directoryQuery.queryKey, (before) => {
    if (!before) return before;
    const next = { ...before, rows: before.rows.filter(({ id }) => !gone.has(id)) };
    follow(next);
    return next;
  });
}
