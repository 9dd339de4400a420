import { sql } from 'kysely';

const EVERY = '/* every request */';
const AGAIN = '/* again and again */';

/**
 * Begins the text of a statement that nearly every request asks, looks rows up by their keys, and whose text is always
 * the same: a connection then plans it once. The plan does not know what is asked for, so what looks for anything else
 * than a few rows by their keys must not begin with it.
 */
export const ofEveryRequest = sql.raw(EVERY);

/**
 * Begins the text of a statement that has one good plan whatever its parameters are, and many texts: those that come
 * again are planned once by each connection. How many rows there are at most must stand in the text, not in a parameter.
 */
export const onePlan = sql.raw(AGAIN);

const names = new Map<string, string>();

/** Texts of the second kind with how often they came, the last used ones last. */
const repeated = new Map<string, { name: string; times: number }>();
const MOST_REPEATED = 100;
/** A text that comes once or twice is not worth the memory of a plan on each connection. */
const TIMES = 3;

/** How many plans a connection may hold; it is replaced when it has more, since texts change with the schemas of sites. */
export const MOST_PLANS = 200;

let last = 0;
const newName = (): string => `s${(last += 1)}`;

/** The name under which a connection keeps the plan of a statement; undefined: it is planned each time. */
export function planName(text: string): string | undefined {
  if (text.startsWith(AGAIN)) return nameOfRepeated(text);
  if (!text.startsWith(EVERY)) return undefined;
  const name = names.get(text) ?? newName();
  names.set(text, name);
  return name;
}

function nameOfRepeated(text: string): string | undefined {
  const { name, times } = repeated.get(text) ?? { name: newName(), times: 0 };
  repeated.delete(text);
  repeated.set(text, { name, times: times + 1 });
  const [oldest] = repeated.keys();
  if (repeated.size > MOST_REPEATED && oldest !== undefined) repeated.delete(oldest);
  return times + 1 < TIMES ? undefined : name;
}
