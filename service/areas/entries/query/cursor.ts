import { invalid } from '../../../kernel/http/errors.ts';

/** A place in a list that is told newest first: whatever stands behind it is older. */
export type Place = readonly [at: string, ...ids: number[]];

/** The text that leads on from a place. */
export const cursorOf = (place: Place): string => Buffer.from(JSON.stringify(place)).toString('base64url');

/**
 * The place that a cursor names, of so many numbers beside the moment; undefined: from the beginning.
 * @throws ApiError 400 for a text that this service has not made
 */
export function placeAt(cursor: string | undefined, ids: number): Place | undefined {
  if (cursor === undefined) return undefined;
  const place = read(cursor);
  const [at, ...rest] = place;
  const fits = typeof at === 'string' && rest.length === ids && rest.every((id) => Number.isSafeInteger(id));
  if (!fits || Number.isNaN(Date.parse(at)))
    throw invalid([{ path: 'cursor', message: 'is not the `next` of a page of this list' }]);
  return [at, ...(rest as number[])];
}

function read(cursor: string): readonly unknown[] {
  try {
    const place: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(place) ? place : [];
  } catch {
    return [];
  }
}
