import { createHash } from 'node:crypto';
import type { Mark } from './marks.store.ts';

/** Where a page of a query ended: what the next one begins behind. */
export interface Position {
  entryId: number;
  /** Value of the column that orders; null when it has none, or the order is that of ids. */
  key: string | number | null;
}

/**
 * Ends of pages that were read lately, so that whoever reads on does not pay for what was read before. Each is good as
 * long as nothing has changed since its mark: the page that begins behind it asks in its own statement.
 */
interface KnownPosition extends Position {
  mark: Mark;
}

const known = new Map<string, KnownPosition & { until: number }>();
const MOST_KNOWN = 2_000;
/** Nobody waits so long between two pages. */
const KNOWN_MS = 60_000;

/** A short name of what is asked, the same for the same alone: questions may be long. */
export const nameOf = (question: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(question)).digest('base64url');

/** The place in front of row `skip` of a list. */
const placeOf = (list: string, skip: number): string => `${list}/${skip}`;

export function positionAt(list: string, skip: number): KnownPosition | undefined {
  const found = known.get(placeOf(list, skip));
  return found && found.until > Date.now() ? found : undefined;
}

export function rememberPosition(list: string, skip: number, position: KnownPosition): void {
  const place = placeOf(list, skip);
  known.delete(place);
  known.set(place, { ...position, until: Date.now() + KNOWN_MS });
  const [oldest] = known.keys();
  if (known.size > MOST_KNOWN && oldest !== undefined) known.delete(oldest);
}
