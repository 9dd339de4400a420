import { createHash } from 'node:crypto';

/** Where a page of a query ended: what the next one begins behind. */
export interface Position {
  entryId: number;
  /** Value of the column that orders; null when it has none, or the order is that of ids. */
  key: string | number | null;
}

/**
 * Ends of pages that were read lately, so that whoever reads on does not pay for what was read before. The key of one
 * holds everything that the answer depends on, the last change of the type included: a position never outlives the
 * order it was found in.
 */
const known = new Map<string, Position>();
const MOST_KNOWN = 2_000;

/** Names the place in front of row `skip` of a query. */
export const placeOf = (query: readonly unknown[], skip: number): string =>
  createHash('sha256')
    .update(JSON.stringify([...query, skip]))
    .digest('base64url');

export const positionAt = (place: string): Position | undefined => known.get(place);

export function rememberPosition(place: string, position: Position): void {
  known.delete(place);
  known.set(place, position);
  const [oldest] = known.keys();
  if (known.size > MOST_KNOWN && oldest !== undefined) known.delete(oldest);
}
