import { ServiceError } from '../../../api/errors.ts';
import type { RowVm } from '../../../api/generated/types.gen.ts';
import { readRows } from './use-rows.ts';
import type { RowQuestion } from './use-rows.ts';

// The service gives so many at once.
const MOST_ROWS = 1000;
// A row may hold a million characters in a field: pages grow only as far as they are small.
const FIRST_ROWS = 250;
const ENOUGH = 2_000_000;

const ENTRY_ID = 'EntryId';

const sizeOf = (rows: readonly RowVm[]): number => {
  let size = 0;
  for (const row of rows)
    for (const value of Object.values(row)) size += typeof value === 'string' ? value.length : 20;
  return size;
};

const less = (limit: number): number => Math.ceil(limit / 4);
const isTooLarge = (thrown: unknown): boolean =>
  thrown instanceof ServiceError &&
  thrown.status === 400 &&
  thrown.fields.some(({ path }) => path === 'limit');

/** Where a page begins, and how many rows it has at most. */
interface PageAsked {
  limit: number;
  skip: number;
  /** Id of the last row of the page before. */
  last: number;
}
type ReadPage = (asked: PageAsked) => Promise<readonly RowVm[]>;

/** Reads as many as one answer holds; a few very large rows among small ones make it fewer than were asked for. */
async function readSome(
  read: ReadPage,
  asked: PageAsked,
): Promise<{ rows: readonly RowVm[]; limit: number }> {
  for (let { limit } = asked; ; limit = less(limit))
    try {
      // oxlint-disable-next-line no-await-in-loop -- the same again, with fewer rows
      return { rows: await read({ ...asked, limit }), limit };
    } catch (thrown) {
      if (limit === 1 || !isTooLarge(thrown)) throw thrown;
    }
}

/** All rows, page after page, each as large as an answer may be. @throws ServiceError */
export async function* inPages(read: ReadPage): AsyncGenerator<readonly RowVm[]> {
  let [most, last, skip] = [FIRST_ROWS, 0, 0];
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- in sequence, so that memory holds one page
    const { rows, limit } = await readSome(read, { limit: most, last, skip });
    if (rows.length > 0) yield rows;
    if (rows.length < limit) return;
    last = rows.at(-1)?.EntryId ?? last;
    skip += rows.length;
    most = Math.max(1, Math.min(MOST_ROWS, sizeOf(rows) > ENOUGH ? less(limit) : limit * 2));
  }
}

/**
 * All rows that match, page after page in the order of their ids after the last one seen, so that nothing moves from one
 * page into another meanwhile. @throws ServiceError
 */
export const pagesOf = (
  typeId: number,
  { query, fields }: Pick<RowQuestion, 'query'> & { fields: string[] },
  signal?: AbortSignal,
): AsyncGenerator<readonly RowVm[]> =>
  inPages(async ({ limit, last }) => {
    const after = { [ENTRY_ID]: { $gt: last } };
    const place = { query: query === undefined ? after : { $and: [after, query] } };
    return (await readRows(typeId, { ...place, fields, limit }, signal)).rows;
  });
