import { omitUndefined, readSearchText, toSearchValue } from '../../../lib/search-params.ts';

/** Filter of the relationships, kept in the URL. */
export interface RelationshipsView {
  /** Address or domain. */
  q: string;
  userId: number | undefined;
  /** Contact to which the addresses are linked. */
  entryId: number | undefined;
}

export interface RelationshipsSearch {
  q?: string | number;
  userId?: number;
  entryId?: number;
}

const parseId = (value: unknown): number | undefined => {
  const id = Number(readSearchText(value));
  return Number.isInteger(id) && id > 0 ? id : undefined;
};

/** Parses the search parameters; invalid values fall back to the default. */
export function parseRelationshipsView(search: Record<string, unknown>): RelationshipsView {
  return {
    q: readSearchText(search.q),
    userId: parseId(search.userId),
    entryId: parseId(search.entryId),
  };
}

/** Search parameters of a view; defaults are left out. */
export const serializeRelationshipsView = ({ q, userId, entryId }: RelationshipsView): RelationshipsSearch =>
  omitUndefined({ q: q === '' ? undefined : toSearchValue(q), userId, entryId });
