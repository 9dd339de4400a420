import { keepPreviousData, queryOptions, useQuery, skipToken } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import type { RowQueryRequest } from '../../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import { queryRowsByBody } from '../../../api/generated/sdk/entries.gen.ts';
import { onSiteChanges } from '../../../api/site-changes.ts';
import { WINDOW_TEXT_LIMIT } from './full-values.ts';
import { openEntryRows, WINDOW_ROWS } from './row-windows.ts';
import type { EntryRows } from './row-windows.ts';
import type { Field } from './schema.ts';
import { formatItem, toItems, getValue } from './values.ts';

/** A row query without paging: filter, fields and order (shapes 4). */
export type RowQuery = Pick<RowQueryRequest, 'query' | 'fields' | 'orderBy'>;

/** Requests one page of rows with the total number of matches. @throws ServiceError */
export const queryRows = async (typeId: number, body: RowQueryRequest, signal?: AbortSignal) =>
  (
    await queryRowsByBody({
      path: { entryTypeId: String(typeId) },
      body: { ...body, wrapIntoArrays: true },
      ...(signal && { signal }),
    })
  ).data;

// The rows of the previous query are shown while the next are loading; they must not be counted as those of another filter.
const filters = new WeakMap<EntryRows, RowQuery['query']>();

async function openRowQuery(typeId: number, query: RowQuery, signal: AbortSignal): Promise<EntryRows> {
  const loadPage = (skip: number, pageSignal: AbortSignal) =>
    queryRows(typeId, { ...query, limit: WINDOW_ROWS, skip, textLimit: WINDOW_TEXT_LIMIT }, pageSignal);
  const { rows } = await openEntryRows(loadPage, signal);
  filters.set(rows, query.query);
  return rows;
}

// Module state rather than component state: returning to a list shows what was loaded last.
let latestRevision = 0;

const hasFilter = (rows: EntryRows, { query }: RowQuery): boolean =>
  JSON.stringify(filters.get(rows)) === JSON.stringify(query);

/**
 * Query options of the rows of a row query. Reloading raises the revision instead of refetching: the new query is built
 * with the current schema, whereas a refetch would repeat the old query, which may name deleted fields.
 */
export const entryRowsQuery = (typeId: number, query: RowQuery, revision = latestRevision) =>
  queryOptions({
    queryKey: [{ _id: 'queryRowsByBody', typeId, query, revision }],
    queryFn: ({ signal }) => openRowQuery(typeId, query, signal),
    gcTime: 60_000,
    structuralSharing: false,
  });

/**
 * The matching entries as windowed rows, long texts truncated to what a cell shows (`isTruncated`). The rows of the
 * previous query stay visible until the next have loaded (`stale`).
 */
export function useEntryRows(typeId: number, query: RowQuery, enabled: boolean) {
  const [revision, setRevision] = useState(latestRevision);
  const reload = () => {
    latestRevision += 1;
    setRevision(latestRevision);
  };
  const { data, error, dataUpdatedAt, isFetching, isPlaceholderData } = useQuery({
    ...entryRowsQuery(typeId, query, revision),
    enabled,
    placeholderData: keepPreviousData,
    // Rows must not move while someone reads them; the page has a reload button.
    refetchOnWindowFocus: false,
  });
  const followed = useFollowedRows(typeId, enabled && !isPlaceholderData ? data : undefined);
  const failure = useMemo(() => (error === null ? undefined : toServiceError(error)), [error]);
  const isCounted = !isPlaceholderData || (data && hasFilter(data, query));
  return {
    rows: data,
    isStale: isPlaceholderData,
    /** Number of matching entries; undefined until it is known for the filter of the query. */
    total: isCounted ? data?.total : undefined,
    isFetching,
    asOf: Math.max(dataUpdatedAt, followed.refreshedAt),
    /** Whether entries have come, gone or moved since: `reload` shows them. */
    hasMoved: followed.hasMoved,
    error: failure,
    reload,
  };
}

/** Shows new values of rows when entries of the type have changed. Rows do not move while someone reads or edits them. */
function useFollowedRows(typeId: number, rows: EntryRows | undefined) {
  const [state, setState] = useState({ rows, hasMoved: false, refreshedAt: 0 });
  useEffect(
    () =>
      rows &&
      onSiteChanges(({ topics, entryTypeIds }) => {
        if (!topics.has('default-data') || entryTypeIds?.has(typeId) === false) return;
        rows.refresh().then(
          (isShown) =>
            isShown !== undefined &&
            setState((last) => ({
              rows,
              hasMoved: !isShown,
              refreshedAt: isShown ? Date.now() : last.refreshedAt,
            })),
          // The next change tries again; a reading of the page itself tells why it fails.
          () => undefined,
        );
      }),
    [typeId, rows],
  );
  return state.rows === rows ? state : { hasMoved: false, refreshedAt: 0 };
}

/** Position of an entry in a list. */
export interface EntryPosition {
  /** Index of its row; null if the list does not contain it. */
  row: number | null;
  /** Its name, loaded if the list does not contain it; undefined if the entry does not exist. */
  name: string | undefined;
}

async function loadEntryName(typeId: number, entryId: number, key: Field, signal: AbortSignal) {
  const query = { EntryId: entryId };
  const { rows } = await queryRows(typeId, { query, fields: [key.apiName], limit: 1 }, signal);
  const [row] = rows;
  if (!row) return undefined;
  const [name] = toItems(getValue(row, key));
  const text = name === undefined ? '' : formatItem(name, key).trim();
  return text === '' ? `Entry ${entryId}` : text.slice(0, 200);
}

/** Finds the position of an entry in the rows of a query; undefined while loading. */
export function useEntryPosition(
  typeId: number,
  { query: filter, orderBy }: RowQuery,
  entryId: number | undefined,
  key: Field | undefined,
): EntryPosition | undefined {
  const query = { ...(filter !== undefined && { query: filter }), ...(orderBy !== undefined && { orderBy }) };
  const { data } = useQuery({
    queryKey: [{ _id: 'queryRowsByBody', typeId, query, positionOf: entryId }],
    queryFn:
      entryId === undefined || !key
        ? skipToken
        : async ({ signal }): Promise<EntryPosition> => {
            const body = { ...query, fields: ['EntryId'], limit: 1, positionOf: entryId };
            const { position = null } = await queryRows(typeId, body, signal);
            const name = position === null ? await loadEntryName(typeId, entryId, key, signal) : undefined;
            return { row: position, name };
          },
    gcTime: 60_000,
    refetchOnWindowFocus: false,
  });
  return data;
}
