import { useEffect } from 'react';
import { parseId } from '../../../lib/ids.ts';
import { toSearchValue, omitUndefined, readSearchText } from '../../../lib/search-params.ts';
import type { Search } from '../../../lib/search-params.ts';
import type { QueryObject } from '../filter/draft.ts';
import type { FilterSource } from '../filter/draft.ts';

/** State of the entry list in its URL: search, filter, order and saved view. */
export interface EntriesView {
  /** Search text for entry names. */
  q: string;
  /** The filter. A text only if the URL contains one that is not valid JSON. */
  query: FilterSource;
  /** API name of a field, with a leading minus for descending; empty sorts by entry id. */
  sort: string;
  /** Id of the opened saved view, for its name and columns. Its search, filter and order are in the URL as well. */
  savedViewId: number | undefined;
}

const isObject = (value: unknown): value is QueryObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function parseQueryParam(value: unknown): EntriesView['query'] {
  if (isObject(value)) return Object.keys(value).length === 0 ? undefined : value;
  if (Array.isArray(value)) return JSON.stringify(value);
  const text = readSearchText(value);
  return text.trim() === '' ? undefined : text;
}

/** Parses the list state from the search parameters of a URL; invalid parameters are ignored. */
export const parseView = (search: Search): EntriesView => ({
  q: readSearchText(search.q),
  query: parseQueryParam(search.query),
  sort: readSearchText(search.sort),
  savedViewId: parseId(readSearchText(search.view)),
});

/** Formats the list state as search parameters without empty ones. */
export const formatView = ({ q, query, sort, savedViewId }: EntriesView) =>
  omitUndefined({
    q: q === '' ? undefined : toSearchValue(q),
    query,
    sort: sort === '' ? undefined : sort,
    view: savedViewId,
  });

/** The row or cell of the list that a URL points at. */
export interface CellAddress {
  entryId: number;
  /** API name of the field; empty for the whole row. */
  field: string;
}

/** Parses the cell address from search parameters; undefined if there is none or it is invalid. */
export function parseCellAddress({ entry, field }: Search): CellAddress | undefined {
  const entryId = parseId(readSearchText(entry));
  return entryId === undefined ? undefined : { entryId, field: readSearchText(field) };
}

/** Formats a cell address as search parameters. */
export const formatCellAddress = (address: CellAddress | undefined) =>
  omitUndefined({
    entry: address?.entryId,
    field: address === undefined || address.field === '' ? undefined : toSearchValue(address.field),
  });

/** Search parameters of the grid: those of its view and the address of a cell. */
export type GridSearch = ReturnType<typeof formatView> & ReturnType<typeof formatCellAddress>;

// In memory only, so that search texts do not outlive the session.
const lastViews = new Map<number, EntriesView>();

/** Remembers the list state of a type for the way back from one of its entries. */
export function useRememberView(typeId: number, view: EntriesView): void {
  useEffect(() => {
    lastViews.set(typeId, view);
  }, [typeId, view]);
}

/** The last list state of a type; the unfiltered list if there is none. */
export const getLastView = (typeId: number): EntriesView => lastViews.get(typeId) ?? parseView({});
