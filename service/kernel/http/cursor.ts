import { badRequest } from '../api-error.ts';

/** Position in a list sorted newest first: the timestamp and tie breakers of the last row of a page. */
export type CursorPosition = readonly [at: string, ...ids: number[]];

/** Encodes a position as the cursor of the next page. */
export const encodeCursor = (position: CursorPosition): string =>
  Buffer.from(JSON.stringify(position)).toString('base64url');

/**
 * Decodes a cursor with `ids` tie breakers; undefined: the list starts at the beginning.
 * @throws ApiError 400 for a text that `encodeCursor` has not created
 */
export function decodeCursor(cursor: string | undefined, ids: number): CursorPosition | undefined {
  if (cursor === undefined) return undefined;
  const position = parseArray(cursor);
  const [at, ...rest] = position;
  const fits = typeof at === 'string' && rest.length === ids && rest.every((id) => Number.isSafeInteger(id));
  if (!fits || Number.isNaN(Date.parse(at)))
    throw badRequest([{ path: 'cursor', message: 'is not the `next` of a page of this list' }]);
  return [at, ...(rest as number[])];
}

function parseArray(cursor: string): readonly unknown[] {
  try {
    const position: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(position) ? position : [];
  } catch {
    return [];
  }
}
