import { plain, spoken, written } from '../../../lib/address.ts';
import type { Search } from '../../../lib/address.ts';
import type { QueryObject } from '../filter/draft.ts';

/** What is asked for of a type: the state of the grid, which its address holds. */
export interface EntriesView {
  /** Quick search over the names. */
  q: string;
  /** A text only where somebody wrote one into the address that is no JSON. */
  query: QueryObject | string | undefined;
  /** ApiName of a field, with a leading minus for descending; empty for the order of ids. */
  sort: string;
  /** Id of the saved view that was opened: its name and its columns. What is asked for stands beside it. */
  saved: number | undefined;
}

const isObject = (value: unknown): value is QueryObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function queryIn(value: unknown): EntriesView['query'] {
  if (isObject(value)) return Object.keys(value).length === 0 ? undefined : value;
  if (Array.isArray(value)) return JSON.stringify(value);
  const text = written(value);
  return text.trim() === '' ? undefined : text;
}

const idIn = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : undefined;

/** Reads the view of an address. */
export const readEntriesView = (search: Search): EntriesView => ({
  q: written(search.q),
  query: queryIn(search.query),
  sort: written(search.sort),
  saved: idIn(search.view),
});

/** A view for an address, without what is not said. */
export const writeEntriesView = ({ q, query, sort, saved }: EntriesView) =>
  spoken({
    q: q === '' ? undefined : plain(q),
    query,
    sort: sort === '' ? undefined : sort,
    view: saved,
  });

/** An entry that an address points at in the list, and the field of its cell; empty for the row as a whole. */
export interface Pointed {
  entryId: number;
  field: string;
}

const LARGEST_ID = 2_147_483_647;

/** Reads what an address points at. */
export function readPointed({ entry, field }: Search): Pointed | undefined {
  const entryId = idIn(entry);
  return entryId === undefined || entryId > LARGEST_ID ? undefined : { entryId, field: written(field) };
}

/** What is pointed at, for an address. */
export const writePointed = (pointed: Pointed | undefined) =>
  spoken({
    entry: pointed?.entryId,
    field: pointed === undefined || pointed.field === '' ? undefined : plain(pointed.field),
  });
