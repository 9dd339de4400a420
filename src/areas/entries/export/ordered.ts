import type { RowVm } from '../../../api/generated/types.gen.ts';
import { pagesOf } from '../model/pages.ts';
import { readRows } from '../model/use-rows.ts';
import type { RowQuestion } from '../model/use-rows.ts';
import { ENTRY_ID } from './headings.ts';

type Asked = Pick<RowQuestion, 'query'> & { fields: string[] };

// The service gives so many at once.
const MOST_IDS = 1000;
// A query takes so many values.
const PORTION = 500;

/**
 * The ids of all that match, in an order. Read page after page by places, one may be passed over or come twice while
 * somebody writes: whoever is there all the while is found again by the ids, and stands at the end.
 */
async function orderedIds(
  typeId: number,
  { query }: Asked,
  orderBy: string,
  signal?: AbortSignal,
): Promise<number[]> {
  const ids = new Set<number>();
  const asked = { ...(query !== undefined && { query }), fields: [] };
  for (let skip = 0; ; skip += MOST_IDS) {
    const place = { ...asked, orderBy, skip, limit: MOST_IDS };
    // oxlint-disable-next-line no-await-in-loop -- page after page
    const { rows } = await readRows(typeId, place, signal);
    for (const { EntryId } of rows) ids.add(EntryId);
    if (rows.length < MOST_IDS) break;
  }
  for await (const rows of pagesOf(typeId, asked, signal)) for (const { EntryId } of rows) ids.add(EntryId);
  return [...ids];
}

/** All rows that match in an order, a page at a time: each once, whatever is written meanwhile. */
export async function* orderedPages(
  typeId: number,
  asked: Asked,
  orderBy: string,
  signal?: AbortSignal,
): AsyncGenerator<readonly RowVm[]> {
  const ids = await orderedIds(typeId, asked, orderBy, signal);
  for (let at = 0; at < ids.length; at += PORTION) {
    const portion = ids.slice(at, at + PORTION);
    const these = { [ENTRY_ID]: { $in: portion } };
    const query = asked.query === undefined ? these : { $and: [these, asked.query] };
    const found = new Map<number, RowVm>();
    for await (const rows of pagesOf(typeId, { ...asked, query }, signal))
      for (const row of rows) found.set(row.EntryId, row);
    yield portion.flatMap((id) => found.get(id) ?? []);
  }
}
