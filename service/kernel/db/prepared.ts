import { sql } from 'kysely';

const MARK = '/* every request */';

/**
 * Begins the text of a statement that nearly every request asks, looks rows up by their keys, and whose text is always
 * the same: a connection then plans it once. The plan does not know what is asked for, so what looks for anything else
 * than a few rows by their keys must not begin with it.
 */
export const ofEveryRequest = sql.raw(MARK);

const names = new Map<string, string>();

/** The name under which a connection keeps the plan of a statement; undefined: it is planned each time. */
export function planName(text: string): string | undefined {
  if (!text.startsWith(MARK)) return undefined;
  const name = names.get(text) ?? `s${names.size}`;
  names.set(text, name);
  return name;
}
