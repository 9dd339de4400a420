import type { RowVm } from '../../../../contract/generated/types.gen.ts';
import { ENTRY_ID } from '../../../../contract/rules/query/condition.ts';
import { queryRows } from '../model/entry-rows.ts';
import type { RowQuery } from '../model/entry-rows.ts';
import { loadRowPages } from '../model/row-pages.ts';

type OrderedQuery = Pick<RowQuery, 'query'> & { fields: string[] };

// Largest `limit` the service accepts.
const MAX_PAGE_IDS = 1000;
// Largest number of values in one `$in`.
const CHUNK_IDS = 500;

/**
 * Loads the ids of all matching entries in order. Pages by position may miss or repeat entries while data changes, so a
 * second pass in the order of ids appends those that were missed. @throws ServiceError
 */
async function loadOrderedIds(
  typeId: number,
  { query }: OrderedQuery,
  orderBy: string,
  signal?: AbortSignal,
): Promise<number[]> {
  const ids = new Set<number>();
  const idQuery = { ...(query !== undefined && { query }), fields: [] };
  for (let skip = 0; ; skip += MAX_PAGE_IDS) {
    const page = { ...idQuery, orderBy, skip, limit: MAX_PAGE_IDS };
    // Sequential: the last page is the one with fewer rows.
    const { rows } = await queryRows(typeId, page, signal);
    for (const { EntryId } of rows) ids.add(EntryId);
    if (rows.length < MAX_PAGE_IDS) break;
  }
  for await (const rows of loadRowPages(typeId, idQuery, signal))
    for (const { EntryId } of rows) ids.add(EntryId);
  return [...ids];
}

/** Yields all matching rows in order, page by page; each row once, even while data changes. @throws ServiceError */
export async function* loadOrderedPages(
  typeId: number,
  orderedQuery: OrderedQuery,
  orderBy: string,
  signal?: AbortSignal,
): AsyncGenerator<readonly RowVm[]> {
  const ids = await loadOrderedIds(typeId, orderedQuery, orderBy, signal);
  for (let at = 0; at < ids.length; at += CHUNK_IDS) {
    const chunk = ids.slice(at, at + CHUNK_IDS);
    const idCondition = { [ENTRY_ID]: { $in: chunk } };
    const query =
      orderedQuery.query === undefined ? idCondition : { $and: [idCondition, orderedQuery.query] };
    const rowsById = new Map<number, RowVm>();
    for await (const rows of loadRowPages(typeId, { ...orderedQuery, query }, signal))
      for (const row of rows) rowsById.set(row.EntryId, row);
    yield chunk.flatMap((id) => rowsById.get(id) ?? []);
  }
}
