import { type RawBuilder, sql } from 'kysely';

/** Escapes a text for `like`, so that it stands for itself. */
export const escapeLike = (text: string): string => text.replaceAll(/[\\%_]/g, String.raw`\$&`);

/** The pattern of `like` for texts that contain a text. */
export const toLikePattern = (text: string): string => `%${escapeLike(text)}%`;

/**
 * SQL condition: the text contains a part, ignoring letter case by Unicode rules. `ilike` knows only the letters of ASCII in a database
 * with the locale C.
 */
export const contains = (text: RawBuilder<unknown>, part: string): RawBuilder<boolean> =>
  sql`fold(${text}) like fold(${toLikePattern(part)})`;
