import { omitUndefined, readSearchText, toSearchValue } from '../../../lib/search-params.ts';

/** Filter of the relationships, kept in the URL. */
export interface RelationshipsView {
  /** Address or domain. */
  q: string;
  userId: number | undefined;
}

export interface RelationshipsSearch {
  q?: string;
  userId?: number;
}

/** Parses the search parameters; invalid values fall back to the default. */
export function parseRelationshipsView(search: Record<string, unknown>): RelationshipsView {
  const userId = Number(readSearchText(search.userId));
  return {
    q: readSearchText(search.q),
    userId: Number.isInteger(userId) && userId > 0 ? userId : undefined,
  };
}

/** Search parameters of a view; defaults are left out. */
export const serializeRelationshipsView = ({ q, userId }: RelationshipsView): RelationshipsSearch =>
  omitUndefined({ q: q === '' ? undefined : String(toSearchValue(q)), userId });
