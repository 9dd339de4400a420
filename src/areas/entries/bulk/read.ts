import type { RowVm } from '../../../api/generated/types.gen.ts';
import { pagesOf } from '../model/pages.ts';
import type { Field, Schema } from '../model/schema.ts';
import type { RowQuestion } from '../model/use-rows.ts';
import { fieldsToRead, planRows } from './plan.ts';
import type { BulkEdit, BulkPlan } from './plan.ts';

/** So many entries are changed at once at most: what they held fits into the browser. */
export const MOST_ENTRIES = 100_000;
// A row query has a bound of 1,000 values.
const MOST_IDS = 500;

/** Which entries: those with these ids, or all that match. */
type BulkScope = { ids: readonly number[] } | { query: RowQuestion['query']; total: number };

export interface BulkRequest {
  typeId: number;
  scope: BulkScope;
  /** Undefined: what to change is asked first. */
  edit: BulkEdit | undefined;
}

/** How many entries a request is about, as far as it is known before they are read. */
export const sizeOf = ({ scope }: BulkRequest): number => ('ids' in scope ? scope.ids.length : scope.total);

export interface DryRun extends BulkPlan {
  /** How many of the entries with these ids are not there any more. */
  missing: number;
}

/**
 * Reads every entry and says what would come of it. The list is frozen with that: what is counted here is what is
 * changed later, whatever matches by then. Pages follow the ids, so that nothing moves from one into another meanwhile.
 */
export async function dryRun(
  { typeId, scope }: BulkRequest,
  edit: BulkEdit,
  schema: Schema,
  { signal, onRead }: { signal: AbortSignal; onRead: (entries: number) => void },
): Promise<DryRun> {
  const fields = schema.fieldsOf(typeId);
  const read = fieldsToRead(edit, fields);
  const plan: DryRun = { changes: [], refused: [], same: 0, missing: 0 };
  let seen = 0;
  const take = (rows: readonly RowVm[]) => {
    planRows(plan, rows, edit, read);
    seen += rows.length;
    onRead(seen);
  };
  if ('ids' in scope) {
    const ids = [...new Set(scope.ids)];
    for await (const rows of byIds(typeId, ids, read, signal)) take(rows);
    plan.missing = ids.length - seen;
  } else {
    const asked = { query: scope.query, fields: names(read) };
    for await (const rows of pagesOf(typeId, asked, signal)) take(rows);
  }
  return plan;
}

const names = (fields: readonly Field[]): string[] => fields.map(({ apiName }) => apiName);

async function* byIds(
  typeId: number,
  ids: readonly number[],
  fields: readonly Field[],
  signal?: AbortSignal,
): AsyncGenerator<readonly RowVm[]> {
  for (let at = 0; at < ids.length; at += MOST_IDS) {
    const query = { EntryId: { $in: ids.slice(at, at + MOST_IDS) } };
    yield* pagesOf(typeId, { query, fields: names(fields) }, signal);
  }
}

/** The entries with these ids as they are now, with these fields. */
export async function readNow(
  typeId: number,
  ids: readonly number[],
  fields: readonly Field[],
): Promise<ReadonlyMap<number, RowVm>> {
  const found = new Map<number, RowVm>();
  for await (const rows of byIds(typeId, ids, fields)) for (const row of rows) found.set(row.EntryId, row);
  return found;
}
