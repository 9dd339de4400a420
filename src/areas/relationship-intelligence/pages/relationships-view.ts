import { parseId } from '../../../lib/ids.ts';
import { omitUndefined, parseIds, readSearchText, toSearchValue } from '../../../lib/search-params.ts';

/** Filter and page of the relationships, kept in the URL. */
export interface RelationshipsView {
  /** Address or domain. */
  q: string;
  userId: number | undefined;
  /** Contact to which the addresses are linked. */
  entryId: number | undefined;
  page: number;
}

export interface RelationshipsSearch {
  q?: string | number;
  userId?: number;
  entryId?: number;
  page?: number;
}

/** Parses the search parameters; invalid values fall back to the default. */
export function parseRelationshipsView(search: Record<string, unknown>): RelationshipsView {
  return {
    q: readSearchText(search.q),
    userId: parseId(readSearchText(search.userId)),
    entryId: parseId(readSearchText(search.entryId)),
    page: parseIds(search.page)[0] ?? 1,
  };
}

/** Search parameters of a view; defaults are left out. */
export const serializeRelationshipsView = ({
  q,
  userId,
  entryId,
  page,
}: RelationshipsView): RelationshipsSearch =>
  omitUndefined({
    q: q === '' ? undefined : toSearchValue(q),
    userId,
    entryId,
    page: page === 1 ? undefined : page,
  });

/** The next view, at its first page if its filter differs from that of the current one. */
export const startChangedFilter = (current: RelationshipsView, next: RelationshipsView): RelationshipsView =>
  next.q === current.q && next.userId === current.userId && next.entryId === current.entryId
    ? next
    : { ...next, page: 1 };
