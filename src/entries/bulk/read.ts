import type { RowVm } from '../../api/generated/types.gen.ts';
import type { Field, Schema } from '../schema.ts';
import { readRows } from '../use-rows.ts';
import type { RowQuestion } from '../use-rows.ts';
import { fieldsToRead, planRows } from './plan.ts';
import type { BulkEdit, BulkPlan } from './plan.ts';

/** So many entries are changed at once at most: what they held fits into the browser. */
export const MOST_ENTRIES = 100_000;
const PAGE = 1000;

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
    await byIds(typeId, ids, read, signal, take);
    plan.missing = ids.length - seen;
  } else await byQuery(typeId, scope.query, read, signal, take);
  return plan;
}

const names = (fields: readonly Field[]): string[] => fields.map(({ apiName }) => apiName);

async function byIds(
  typeId: number,
  ids: readonly number[],
  fields: readonly Field[],
  signal: AbortSignal,
  take: (rows: readonly RowVm[]) => void,
): Promise<void> {
  for (let at = 0; at < ids.length; at += PAGE) {
    const query = { EntryId: { $in: ids.slice(at, at + PAGE) } };
    // One page after the other: the page stays alive in between, and the service does as well.
    // oxlint-disable-next-line no-await-in-loop
    const { rows } = await readRows(typeId, { query, fields: names(fields), limit: PAGE }, signal);
    take(rows);
  }
}

async function byQuery(
  typeId: number,
  query: RowQuestion['query'],
  fields: readonly Field[],
  signal: AbortSignal,
  take: (rows: readonly RowVm[]) => void,
): Promise<void> {
  let last = 0;
  for (;;) {
    const after = { EntryId: { $gt: last } };
    const page = query === undefined ? after : { $and: [after, query] };
    // oxlint-disable-next-line no-await-in-loop -- the next page begins where this one ends
    const { rows } = await readRows(typeId, { query: page, fields: names(fields), limit: PAGE }, signal);
    take(rows);
    last = rows.at(-1)?.EntryId ?? last;
    if (rows.length < PAGE) return;
  }
}

/** The entries with these ids as they are now, with these fields. */
export async function readNow(
  typeId: number,
  ids: readonly number[],
  fields: readonly Field[],
): Promise<ReadonlyMap<number, RowVm>> {
  const query = { EntryId: { $in: [...ids] } };
  const { rows } = await readRows(typeId, { query, fields: names(fields), limit: PAGE });
  return new Map(rows.map((row) => [row.EntryId, row]));
}
