import { badRequest } from '../api-error.ts';

/** Position in a list sorted newest first: the timestamp and tie breakers of the last row of a page. */
export type CursorPosition = readonly [at: string, ...ids: number[]];

/** Encodes a position as the cursor of the next page. */
export const encodeCursor = (position: CursorPosition): string =>
  Buffer.from(JSON.stringify(position)).toString('base64url');

/** Largest tie breaker by the type of its column. */
const MAX_ID = { int: 2_147_483_647, bigint: Number.MAX_SAFE_INTEGER } as const;

/**
 * Decodes a cursor with tie breakers of the types of `ids`; undefined: the list starts at the beginning.
 * @throws ApiError 400 for a text that `encodeCursor` has not created, such as a position that no column can have
 */
export function decodeCursor(
  cursor: string | undefined,
  ids: readonly (keyof typeof MAX_ID)[],
): CursorPosition | undefined {
  if (cursor === undefined) return undefined;
  const position = parseArray(cursor);
  const [at, ...rest] = position;
  const fits =
    isTimestamp(at) &&
    rest.length === ids.length &&
    ids.every((type, index) => isId(rest[index], MAX_ID[type]));
  if (!fits) throw badRequest([{ path: 'cursor', message: 'is not the `next` of a page of this list' }]);
  return [at, ...(rest as number[])];
}

const isId = (value: unknown, max: number): boolean =>
  Number.isSafeInteger(value) && Math.abs(Number(value)) <= max;

/** A timestamp is written as `toISOString` writes those of PostgreSQL, which has no year 0. */
function isTimestamp(value: unknown): value is string {
  if (typeof value !== 'string' || !/^(?!0000)\d{4}-/.test(value)) return false;
  const time = new Date(value);
  return !Number.isNaN(time.getTime()) && time.toISOString() === value;
}

function parseArray(cursor: string): readonly unknown[] {
  try {
    const position: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(position) ? position : [];
  } catch {
    return [];
  }
}
