import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { RowsAsOfRequest, RowVm } from '../../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import { queryRowsAsOf } from '../../../api/generated/sdk/entry-history.gen.ts';
import { splitIntoChunks } from '../../../lib/chunks.ts';
import type { RowQuery } from '../model/entry-rows.ts';
import { WINDOW_TEXT_LIMIT, isTruncated, setFullRowLoader } from '../model/full-values.ts';
import { openEntryRows, WINDOW_ROWS } from '../model/row-windows.ts';
import type { EntryRows } from '../model/row-windows.ts';
import type { Field } from '../model/schema.ts';
import type { AsOfView } from './as-of-view.ts';
import type { PastComparison, RowChange } from './row-changes.ts';
import { toRowChange } from './row-changes.ts';

type RowsAsOfQuery = RowQuery & Pick<RowsAsOfRequest, 'asOf' | 'only' | 'withAdded'>;

/** Rows as of a past time, loaded in windows, and how they differ from today. */
export interface RowsAsOf {
  rows: EntryRows;
  comparison: PastComparison;
  counts: { added: number; removed: number; changed: number };
}

const ENTRY_ID = 'EntryId';
// A text has up to a million characters, a response up to 32 MiB.
const MAX_ROWS_PER_REQUEST = 8;

/** Requests one page of rows as of a time. @throws ServiceError */
const loadRowsAsOf = async (typeId: number, body: RowsAsOfRequest, signal?: AbortSignal) =>
  (
    await queryRowsAsOf({
      path: { entryTypeId: String(typeId) },
      body: { ...body, wrapIntoArrays: true },
      ...(signal && { signal }),
    })
  ).data;

async function openRowsAsOf(typeId: number, query: RowsAsOfQuery, signal: AbortSignal): Promise<RowsAsOf> {
  const changes = new WeakMap<RowVm, RowChange>();
  // Rows added since have their current values, hence `withAdded`.
  const loadFullRows = async (rows: readonly RowVm[], fields: readonly Field[], abort?: AbortSignal) => {
    const truncated = rows.filter((row) => fields.some((field) => isTruncated(row, field)));
    const fullRows = new Map<number, RowVm>();
    const names = fields.map(({ apiName }) => apiName);
    for (const chunk of splitIntoChunks(truncated, MAX_ROWS_PER_REQUEST)) {
      const filter = { [ENTRY_ID]: { $in: chunk.map(({ EntryId }) => EntryId) } };
      const body = {
        asOf: query.asOf,
        query: filter,
        fields: names,
        limit: MAX_ROWS_PER_REQUEST,
        withAdded: true,
      };
      // Sequential: each response may be large.
      const loaded = await loadRowsAsOf(typeId, body, abort);
      for (const row of loaded.rows) fullRows.set(row.EntryId, row);
    }
    return rows.map((row) => {
      const found = fullRows.get(row.EntryId);
      return found
        ? { ...row, ...found, $cut: row.$cut?.filter((name) => !names.includes(name)) ?? [] }
        : row;
    });
  };
  const loadPage = async (skip: number, abort: AbortSignal) => {
    const page = await loadRowsAsOf(
      typeId,
      { ...query, limit: WINDOW_ROWS, skip, textLimit: WINDOW_TEXT_LIMIT },
      abort,
    );
    const differences = new Map(page.differences.map((each) => [each.entryId, each]));
    for (const row of page.rows) {
      const difference = differences.get(row.EntryId);
      if (difference) changes.set(row, toRowChange(difference));
    }
    setFullRowLoader(page.rows, loadFullRows);
    return page;
  };
  const { rows, first } = await openEntryRows(loadPage, signal);
  const { added, removed, changed } = first;
  return {
    rows,
    comparison: { asOf: query.asOf, getChange: (row) => changes.get(row) },
    counts: { added, removed, changed },
  };
}

/** Rows as of a past time in windows. The rows of the previous query stay visible until the next have loaded. */
export function useRowsAsOf(
  typeId: number,
  rowQuery: RowQuery,
  { asOf = '', only, withAdded }: Pick<AsOfView, 'asOf' | 'only' | 'withAdded'>,
  enabled: boolean,
) {
  const query = { ...rowQuery, asOf, ...(only && { only }), ...(withAdded && { withAdded }) };
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery({
    queryKey: [{ _id: 'queryRowsAsOf', typeId, query }],
    queryFn: ({ signal }) => openRowsAsOf(typeId, query, signal),
    enabled: enabled && asOf !== '',
    placeholderData: keepPreviousData,
    gcTime: 60_000,
    structuralSharing: false,
    refetchOnWindowFocus: false,
    retry: false,
  });
  return {
    list: data,
    query,
    error: error === null ? undefined : toServiceError(error),
    isFetching,
    isStale: isPlaceholderData,
    refetch: () => void refetch(),
  };
}
