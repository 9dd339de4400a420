/**
 * Decides which statements are prepared: a session plans them and keeps the plan under a name (docs/decisions/0042).
 *
 * All statements are, from their third execution on, except those whose plan depends on their values. PostgreSQL plans the first executions in a session for their values and keeps a
 * plan for any values from then on if that is estimated to cost no more. Look-ups therefore compare with `=`: the estimate for
 * `= any($1)` without a value assumes ten rows, so it is never as cheap as for an array of one.
 */
import type { Kysely, QueryResult, RawBuilder } from 'kysely';
import type { Tables } from '../tables/index.ts';

/** Plans per session; beyond that the least recently used are dropped. */
export const MAX_PLANS = 200;
/** Texts for which the process counts executions. */
const MAX_TEXTS = 500;
/** Texts that are executed once or twice are not worth the memory of a plan in each session. */
const MIN_EXECUTIONS = 3;
/** Statements with longer parameters process many rows: their best plan depends on how many, and planning is cheap beside them. */
const MAX_PARAMETER_LENGTH = 4096;

/**
 * Finds a range, a pattern or a limit by a parameter. Without the value the estimate is a constant share of the rows, so that the plan
 * is wrong for most values. Operators that end alike (`=>`, `->>`, `@>`, `>>=`) are something else.
 */
const RANGE_BY_PARAMETER = /(?:(?<![=<>@-])[<>]=?|\b(?:like|between|limit|offset))\s*\$\d/i;

/** Statements that have no plan. */
const TRANSACTION_CONTROL = /^(?:start transaction|commit|rollback|savepoint|release)\b/;

interface CountedText {
  name: string;
  executions: number;
  isReplanned: boolean;
}

/** Number of executions and name of the plan by text, the most recently used last. */
const plansByText = new Map<string, CountedText>();
/** Texts that are planned for their values each time, the most recently used last. */
const replannedTexts = new Set<string>();

let lastNumber = 0;
function createName(): string {
  lastNumber += 1;
  return `s${lastNumber}`;
}

/** Executes a statement that is planned for its values each time, because some of them select many rows and others few. */
export function executeReplanned<Row>(query: RawBuilder<Row>, db: Kysely<Tables>): Promise<QueryResult<Row>> {
  const compiledQuery = query.compile(db);
  touch(replannedTexts, compiledQuery.sql);
  return db.executeQuery(compiledQuery);
}

function touch(texts: Set<string>, text: string): void {
  texts.delete(text);
  texts.add(text);
  const [oldest] = texts;
  if (texts.size > MAX_TEXTS && oldest !== undefined) texts.delete(oldest);
}

/** Counts an execution of a text. */
function countExecution(text: string): CountedText {
  const counted = plansByText.get(text) ?? {
    name: createName(),
    executions: 0,
    isReplanned: RANGE_BY_PARAMETER.test(text),
  };
  counted.executions += 1;
  plansByText.delete(text);
  plansByText.set(text, counted);
  const [oldest] = plansByText.keys();
  if (plansByText.size > MAX_TEXTS && oldest !== undefined) plansByText.delete(oldest);
  return counted;
}

const isLong = (parameters: readonly (string | null)[]): boolean => {
  let length = 0;
  for (const parameter of parameters) length += parameter?.length ?? 0;
  return length > MAX_PARAMETER_LENGTH;
};

/** The name under which a session keeps the plan of a statement that is executed now; undefined if it is planned each time. */
export function getPlanName(text: string, parameters: readonly (string | null)[]): string | undefined {
  if (TRANSACTION_CONTROL.test(text) || replannedTexts.has(text) || isLong(parameters)) return undefined;
  const { name, executions, isReplanned } = countExecution(text);
  return executions >= MIN_EXECUTIONS && !isReplanned ? name : undefined;
}
