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
const known = new Map<string, Position & { until: number }>();
const MOST_KNOWN = 2_000;
/**
 * Nobody waits so long between two pages. A change that was begun before the last one and committed after it does not
 * show in the key; what it moves is off by as many rows for so long at most.
 */
const KNOWN_MS = 60_000;

/** Names the place in front of row `skip` of a query. */
export const placeOf = (query: readonly unknown[], skip: number): string =>
  createHash('sha256')
    .update(JSON.stringify([...query, skip]))
    .digest('base64url');

export function positionAt(place: string): Position | undefined {
  const found = known.get(place);
  return found && found.until > Date.now() ? found : undefined;
}

export function rememberPosition(place: string, position: Position): void {
  known.delete(place);
  known.set(place, { ...position, until: Date.now() + KNOWN_MS });
  const [oldest] = known.keys();
  if (known.size > MOST_KNOWN && oldest !== undefined) known.delete(oldest);
}
