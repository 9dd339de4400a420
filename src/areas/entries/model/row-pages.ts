import type { RowVm } from '../../../../contract/generated/types.gen.ts';
import { ServiceError } from '../../../api/errors.ts';
import { queryRows } from './entry-rows.ts';
import type { RowQuery } from './entry-rows.ts';

/** Largest `limit` the service accepts. */
const MAX_PAGE_ROWS = 1000;
// A field may hold a million characters, so pages start small and grow only while their rows are small.
const FIRST_PAGE_ROWS = 250;
const TARGET_PAGE_CHARS = 2_000_000;

const ENTRY_ID = 'EntryId';

const countCharacters = (rows: readonly RowVm[]): number => {
  let size = 0;
  for (const row of rows)
    for (const value of Object.values(row)) size += typeof value === 'string' ? value.length : 20;
  return size;
};

const reduceLimit = (limit: number): number => Math.ceil(limit / 4);
const isTooLarge = (thrown: unknown): boolean =>
  thrown instanceof ServiceError &&
  thrown.status === 400 &&
  thrown.fields.some(({ path }) => path === 'limit');

/** Position and maximum size of a page. */
interface PageRequest {
  limit: number;
  skip: number;
  /** Entry id of the last row of the previous page. */
  lastId: number;
}
type LoadPage = (request: PageRequest) => Promise<readonly RowVm[]>;

/** Loads a page and halves its limit twice while the response would be too large. @throws ServiceError */
async function loadLargestPage(
  loadPage: LoadPage,
  request: PageRequest,
): Promise<{ rows: readonly RowVm[]; limit: number }> {
  for (let { limit } = request; ; limit = reduceLimit(limit))
    try {
      // Each attempt depends on the failure of the previous one.
      return { rows: await loadPage({ ...request, limit }), limit };
    } catch (thrown) {
      if (limit === 1 || !isTooLarge(thrown)) throw thrown;
    }
}

/** Yields all rows page by page, each page as large as a response may be. @throws ServiceError */
async function* paginate(loadPage: LoadPage): AsyncGenerator<readonly RowVm[]> {
  let [pageLimit, last, skip] = [FIRST_PAGE_ROWS, 0, 0];
  for (;;) {
    // Sequential, so that memory holds one page.
    const { rows, limit } = await loadLargestPage(loadPage, { limit: pageLimit, lastId: last, skip });
    if (rows.length > 0) yield rows;
    if (rows.length < limit) return;
    last = rows.at(-1)?.EntryId ?? last;
    skip += rows.length;
    pageLimit = Math.max(
      1,
      Math.min(MAX_PAGE_ROWS, countCharacters(rows) > TARGET_PAGE_CHARS ? reduceLimit(limit) : limit * 2),
    );
  }
}

/**
 * Yields all matching rows page by page in the order of their ids. Pages are selected by the last id (keyset), so that
 * rows do not move between pages while data changes. @throws ServiceError
 */
export const loadRowPages = (
  typeId: number,
  { query, fields }: Pick<RowQuery, 'query'> & { fields: string[] },
  signal?: AbortSignal,
): AsyncGenerator<readonly RowVm[]> =>
  paginate(async ({ limit, lastId }) => {
    const after = { [ENTRY_ID]: { $gt: lastId } };
    const pageQuery = query === undefined ? after : { $and: [after, query] };
    return (await queryRows(typeId, { query: pageQuery, fields, limit }, signal)).rows;
  });
