import type { RowVm } from '../../../../contract/generated/types.gen.ts';
import type { RowQuery } from '../model/entry-rows.ts';
import { loadRowPages } from '../model/row-pages.ts';
import type { Field, Schema } from '../model/schema.ts';
import { getFieldsToRead, planRows } from './plan.ts';
import type { BulkEdit, BulkPlan } from './plan.ts';

/** Most entries of one change: the page holds all rows of the dry run. A job may have more. */
export const MAX_ENTRIES = 250_000;
// A row query is limited to 1,000 values.
const MAX_IDS_PER_QUERY = 500;

/** Entries by id, or all that match a query. */
type BulkScope = { ids: readonly number[] } | { query: RowQuery['query']; total: number };

export interface BulkRequest {
  typeId: number;
  scope: BulkScope;
}

/** Number of entries of a request, as known before they are read. */
export const getEntryCount = ({ scope }: BulkRequest): number =>
  'ids' in scope ? scope.ids.length : scope.total;

export interface DryRun extends BulkPlan {
  /** Number of requested entries that no longer exist. */
  missing: number;
}

/**
 * Reads all entries and plans their changes. The list is fixed with that: entries that match later are not changed.
 * Pages are ordered by id, so that no entry moves between pages.
 */
export async function runDryRun(
  { typeId, scope }: BulkRequest,
  edit: BulkEdit,
  schema: Schema,
  { signal, onRead }: { signal: AbortSignal; onRead: (entries: number) => void },
): Promise<DryRun> {
  const fields = schema.getFields(typeId);
  const neededFields = getFieldsToRead(edit, fields);
  const plan: DryRun = { changes: [], refused: [], unchangedCount: 0, missing: 0 };
  let readCount = 0;
  const addRows = (rows: readonly RowVm[]) => {
    planRows(plan, rows, edit, neededFields);
    readCount += rows.length;
    onRead(readCount);
  };
  if ('ids' in scope) {
    const ids = [...new Set(scope.ids)];
    for await (const rows of loadRowsByIds(typeId, ids, neededFields, signal)) addRows(rows);
    plan.missing = ids.length - readCount;
  } else {
    const rowQuery = { query: scope.query, fields: getApiNames(neededFields) };
    for await (const rows of loadRowPages(typeId, rowQuery, signal)) addRows(rows);
  }
  return plan;
}

const getApiNames = (fields: readonly Field[]): string[] => fields.map(({ apiName }) => apiName);

async function* loadRowsByIds(
  typeId: number,
  ids: readonly number[],
  fields: readonly Field[],
  signal: AbortSignal,
): AsyncGenerator<readonly RowVm[]> {
  for (let at = 0; at < ids.length; at += MAX_IDS_PER_QUERY) {
    const query = { EntryId: { $in: ids.slice(at, at + MAX_IDS_PER_QUERY) } };
    yield* loadRowPages(typeId, { query, fields: getApiNames(fields) }, signal);
  }
}
