/** Decides which statements are prepared: a connection plans them once and keeps the plan under a name. */
import type { Kysely, QueryResult, RawBuilder } from 'kysely';
import type { Tables } from '../tables/index.ts';

/**
 * When connections prepare a statement. A prepared plan ignores the parameters, so it is wrong for conditions that select many rows for
 * one value and few for another.
 *
 * - `always`: at the first execution. For statements of nearly every request whose text never changes and that find rows by keys.
 * - `on-repeat`: from the third execution of a text on. For statements that have one good plan for all parameters but many texts. The
 *   limit of rows must be a literal, because a plan without it assumes a tenth of all rows.
 */
export type PrepareMode = 'always' | 'on-repeat';

/** Plans per connection. PostgreSQL connections with more are replaced; the embedded database drops the least recently used. */
export const MAX_PLANS = 200;
const MAX_REPEATED_TEXTS = 100;
/** Texts that are executed once or twice are not worth the memory of a plan in each connection. */
const MIN_EXECUTIONS = 3;

/** Plan names by text, of statements that are always prepared. */
const namesByText = new Map<string, string>();
/** Texts that are prepared on repeat with their number of executions, the most recently used last. */
const repeatedTexts = new Map<string, { name: string; executions: number }>();

let lastNumber = 0;
function createName(): string {
  lastNumber += 1;
  return `s${lastNumber}`;
}

/** Executes a statement that connections prepare. */
export function executePrepared<Row>(
  query: RawBuilder<Row>,
  db: Kysely<Tables>,
  mode: PrepareMode,
): Promise<QueryResult<Row>> {
  const compiledQuery = query.compile(db);
  if (mode === 'on-repeat') countExecution(compiledQuery.sql);
  else if (!namesByText.has(compiledQuery.sql)) namesByText.set(compiledQuery.sql, createName());
  return db.executeQuery(compiledQuery);
}

function countExecution(text: string): void {
  const { name, executions } = repeatedTexts.get(text) ?? { name: createName(), executions: 0 };
  repeatedTexts.delete(text);
  repeatedTexts.set(text, { name, executions: executions + 1 });
  const [oldest] = repeatedTexts.keys();
  if (repeatedTexts.size > MAX_REPEATED_TEXTS && oldest !== undefined) repeatedTexts.delete(oldest);
}

/** The name under which a connection keeps the plan of a statement; undefined if the statement is planned each time. */
export function getPlanName(text: string): string | undefined {
  const name = namesByText.get(text);
  if (name !== undefined) return name;
  const repeated = repeatedTexts.get(text);
  return repeated && repeated.executions >= MIN_EXECUTIONS ? repeated.name : undefined;
}
