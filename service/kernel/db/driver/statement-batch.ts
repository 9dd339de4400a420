/**
 * A sequence of statements that is sent at once and answered at once: one round trip to the database. Both databases speak the
 * PostgreSQL protocol, so encoding, plans and decoding are the same for them.
 */
import { type DatabaseError, serialize } from 'pg-protocol';
import { DbError, dbErrorCodes } from './errors.ts';
import { getPlanName, MAX_PLANS } from './prepared.ts';
import { encodeParameter, getBytesDecoder, getDecoder } from './values.ts';

export interface Statement {
  sql: string;
  parameters: readonly unknown[];
  /** Rows of a `copy … from stdin` in the text format, encoded in UTF-8. */
  copyData?: Uint8Array | undefined;
  /** Whether texts of the result are wanted as bytes in UTF-8. Such a statement is planned each time. */
  textsAsBytes?: boolean | undefined;
  /** The first row of an earlier result, which is not decoded if it comes again. */
  knownRow?: KnownRow | undefined;
}

export const isStart = ({ sql }: Statement): boolean => sql.startsWith('start transaction');
export const isEnd = (statement: Statement | undefined): boolean =>
  statement?.sql === 'commit' || statement?.sql === 'rollback';

/** A row as the database sent it; without texts none is known yet. */
export interface KnownRow {
  texts?: readonly (string | null)[];
}

export interface StatementResult {
  rows: Record<string, unknown>[];
  /** First word of the command tag: SELECT, INSERT, COMMIT, ... */
  command: string;
  /** Rows written; 0 for a statement that only reads. */
  affectedRows: number;
  /** Whether the first row is the known one of the statement; `rows` does not have it then. */
  isKnown?: boolean;
  /** The first row as it was sent, of a statement with `knownRow`. */
  firstRow?: readonly (string | null)[] | undefined;
}

/** What became of a batch. After the first statement that fails the database executes none. */
export interface BatchOutcome {
  /** Results of the statements before the first one that failed; all of them without a failure. */
  results: StatementResult[];
  failure?: {
    error: unknown;
    /** Whether the database reported the error: it executed neither the statement nor any after it. Otherwise the outcome is unknown. */
    isReported: boolean;
  };
}

/** The result of a batch of one statement. @throws the error of the statement */
export function getOnlyResult({ results, failure }: BatchOutcome): StatementResult {
  const [result] = results;
  if (!result) throw failure?.error;
  return result;
}

interface Column {
  name: string;
  decode: (text: string) => unknown;
}

/** Describes a column of a result; a subset of what the protocol reports. */
interface ColumnDescription {
  name: string;
  dataTypeID: number;
}

interface Plan {
  columns: readonly Column[];
  plannedAt: number;
}

/**
 * Time for which a plan is used. A plan is made for the sizes that the tables had: one of a table that was nearly empty reads it as a
 * whole. PostgreSQL makes another when it has analyzed the table, which takes minutes after many rows were added.
 */
const MAX_PLAN_AGE_MS = 60_000;

/** The plans that one session of the database holds by name, the most recently used last. */
export class SessionPlans {
  /** Whether plans are kept under names. A pooler may execute the next statement in another session, which has none of them. */
  readonly isKeeping: boolean;
  readonly #plans = new Map<string, Plan>();

  constructor(isKeeping = true) {
    this.isKeeping = isKeeping;
  }

  /** The plan of this name, which counts as used. */
  use(name: string): Plan | undefined {
    const plan = this.#plans.get(name);
    if (!plan) return undefined;
    this.#plans.delete(name);
    if (performance.now() - plan.plannedAt > MAX_PLAN_AGE_MS) return undefined;
    this.#plans.set(name, plan);
    return plan;
  }

  add(name: string, columns: readonly Column[]): void {
    this.#plans.set(name, { columns, plannedAt: performance.now() });
  }

  delete(name: string): void {
    this.#plans.delete(name);
  }

  /** Removes the least recently used plans beyond the limit and returns their names. */
  removeExcess(): string[] {
    const names = [...this.#plans.keys()].slice(0, Math.max(0, this.#plans.size - MAX_PLANS));
    for (const name of names) this.#plans.delete(name);
    return names;
  }
}

/** The Bind message counts parameters in 16 bits. */
const MAX_PARAMETERS = 65_535;

const dropPlan = (name: string) => serialize.close({ type: 'S', name });

/** A statement of a batch and what is known of its result. */
interface Step {
  /** Name of the plan; empty for a statement that is planned for this execution only. */
  planName: string;
  isPlanned: boolean;
  columns: readonly Column[];
  /** Whether the rows of a COPY follow the statement. */
  isCopy: boolean;
  textsAsBytes: boolean;
  knownRow: KnownRow | undefined;
}

const equalTexts = (a: readonly (string | null)[], b: readonly (string | null)[]): boolean =>
  a.length === b.length && a.every((text, index) => text === b[index]);

const NO_COLUMNS: readonly Column[] = [];

function decodeRow(columns: readonly Column[], values: readonly (string | null)[]): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  // An index loop: iterators cost a tenth of the decoding of a large result.
  for (let index = 0; index < columns.length; index += 1) {
    const column = columns[index];
    const text = values[index] ?? null;
    if (column) row[column.name] = text === null ? null : column.decode(text);
  }
  return row;
}

/** The row count of a command tag such as "INSERT 0 5" or "UPDATE 3"; 0 for commands that write no rows. */
const countAffectedRows = (tag: string): number =>
  !tag.startsWith('SELECT') && /^(INSERT|UPDATE|DELETE|MERGE|COPY) /.test(tag)
    ? Number(tag.slice(tag.lastIndexOf(' ')))
    : 0;

/** Encodes statements and collects the messages that answer them. */
export class StatementBatch {
  #messages: readonly Uint8Array[];
  readonly #plans: SessionPlans;
  readonly #steps: Step[] = [];
  readonly #results: StatementResult[] = [];
  #rows: Record<string, unknown>[] = [];
  /** The first row of a statement with `knownRow`. */
  #firstRow: readonly (string | null)[] | undefined;
  #isKnown = false;
  #failure: BatchOutcome['failure'];

  /**
   * @param plans the plans of the session that executes the batch
   * @throws DbError (54000) when a statement has more than 65,535 parameters
   */
  constructor(statements: readonly Statement[], plans: SessionPlans) {
    this.#plans = plans;
    const droppedNames = plans.removeExcess();
    const encoded = statements.map((statement) => this.#encode(statement));
    this.#messages = [...droppedNames.map(dropPlan), ...encoded.flat(), serialize.sync()];
  }

  /** Returns the protocol messages of all statements, once: the batch waits for the answer, which its parameters should not do. */
  takeMessages(): readonly Uint8Array[] {
    const messages = this.#messages;
    this.#messages = [];
    return messages;
  }

  #encode({ sql, parameters, copyData, textsAsBytes = false, knownRow }: Statement): Uint8Array[] {
    if (parameters.length > MAX_PARAMETERS) {
      const text = `A statement takes at most ${MAX_PARAMETERS} parameters, not ${parameters.length}`;
      throw new DbError(text, { code: dbErrorCodes.limitExceeded });
    }
    const values = parameters.map(encodeParameter);
    if (copyData) {
      this.#steps.push({
        planName: '',
        isPlanned: false,
        columns: NO_COLUMNS,
        isCopy: true,
        textsAsBytes,
        knownRow,
      });
      // The server reads the rows as soon as it executes the statement, and skips them if it refuses the statement.
      return [
        serialize.parse({ text: sql }),
        serialize.bind({ values }),
        serialize.execute(),
        serialize.copyData(Buffer.from(copyData.buffer, copyData.byteOffset, copyData.byteLength)),
        serialize.copyDone(),
      ];
    }
    const planName = (this.#plans.isKeeping && !textsAsBytes && getPlanName(sql, values)) || '';
    const plan = planName === '' ? undefined : this.#plans.use(planName);
    this.#steps.push({
      planName,
      isPlanned: plan !== undefined,
      columns: plan?.columns ?? NO_COLUMNS,
      isCopy: false,
      textsAsBytes,
      knownRow,
    });
    if (plan) return [serialize.bind({ statement: planName, values }), serialize.execute()];
    return [
      // A failed statement may have left a plan under this name. Closing a plan that does not exist is no error.
      ...(planName === '' ? [] : [dropPlan(planName)]),
      serialize.parse({ name: planName, text: sql }),
      serialize.bind({ statement: planName, values }),
      serialize.describe({ type: 'P' }),
      serialize.execute(),
    ];
  }

  get #step(): Step | undefined {
    return this.#steps[this.#results.length];
  }

  /** Whether the rows that the database asks for have been sent. */
  get hasCopyData(): boolean {
    return this.#step?.isCopy ?? false;
  }

  /** A planned statement has the columns that its plan was described with: PostgreSQL refuses to execute it with others. */
  addDescription(fields: readonly ColumnDescription[]): void {
    const step = this.#step;
    if (!step) return;
    const findDecoder = step.textsAsBytes ? getBytesDecoder : getDecoder;
    step.columns = fields.map(({ name, dataTypeID }) => ({ name, decode: findDecoder(dataTypeID) }));
  }

  addRow(values: readonly (string | null)[]): void {
    const step = this.#step;
    if (!step) return;
    if (step.knownRow && !this.#firstRow) {
      this.#firstRow = values;
      this.#isKnown = step.knownRow.texts !== undefined && equalTexts(step.knownRow.texts, values);
      if (this.#isKnown) return;
    }
    this.#rows.push(decodeRow(step.columns, values));
  }

  /** `tag`: the command tag; empty for a statement that consists of comments only. */
  completeStatement(tag: string): void {
    const step = this.#step;
    if (step && step.planName !== '' && !step.isPlanned) this.#plans.add(step.planName, step.columns);
    const space = tag.indexOf(' ');
    const result: StatementResult = {
      rows: this.#rows,
      command: space < 0 ? tag : tag.slice(0, space),
      affectedRows: countAffectedRows(tag),
    };
    if (step?.knownRow) {
      result.isKnown = this.#isKnown;
      result.firstRow = this.#firstRow;
      this.#isKnown = false;
      this.#firstRow = undefined;
    }
    this.#results.push(result);
    this.#rows = [];
  }

  /**
   * The current statement failed. `isReported`: the database said so. An error after the last result is one of the commit at the end
   * of the message: the last statement is not stored, although the database has sent its result.
   */
  fail(error: unknown, isReported: boolean): void {
    if (!this.#step) this.#results.pop();
    const step = this.#step;
    if (step) this.#plans.delete(step.planName);
    this.#failure ??= { error, isReported };
  }

  get isComplete(): boolean {
    return this.#failure !== undefined || this.#results.length === this.#steps.length;
  }

  get outcome(): BatchOutcome {
    return { results: this.#results, ...(this.#failure && { failure: this.#failure }) };
  }
}

/** Whether the database ends the session after this error, for example when it shuts down or its log cannot be written. */
export const endsSession = (error: DatabaseError): boolean =>
  error.severity === 'FATAL' || error.severity === 'PANIC';
