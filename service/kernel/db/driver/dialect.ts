/** Kysely dialect for both databases; they differ only in their source of connections. */
import { channel } from 'node:diagnostics_channel';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type CompiledQuery,
  type ConnectionProvider,
  type DatabaseConnection,
  DefaultQueryExecutor,
  type Dialect,
  type Driver,
  IdentifierNode,
  type Kysely,
  type KyselyProps,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryId,
  type QueryResult,
  type RawBuilder,
  RawNode,
  type RootOperationNode,
  sql as kyselySql,
  type TransactionSettings,
  ValueNode,
} from 'kysely';
import { connectionCounts, connectionWait } from '../../telemetry/metrics.ts';
import { getActiveSpan } from '../../telemetry/tracing.ts';
import type { Tables } from '../tables/index.ts';
import type { Budget } from './budget.ts';
import { abortedError, DbError, dbErrorCodes, toDbError } from './errors.ts';
import { type BatchOutcome, isEnd, type Statement, type StatementResult } from './statement-batch.ts';

/** A connection to the database server, held exclusively until its release. */
export interface Connection {
  /**
   * Runs one statement. After an abort through `signal` it may be cancelled. The connection can be used again as soon as the
   * returned promise settles.
   */
  run(sql: string, parameters: readonly unknown[], signal?: AbortSignal): Promise<StatementResult>;
  /**
   * Runs statements in order in one round trip, up to the first that fails; outside a transaction all of them are one. Like `run`
   * in all else. @throws an error only when the outcome of all of them is unknown
   */
  runAll?(statements: readonly Statement[], signal?: AbortSignal): Promise<BatchOutcome>;
  /** Returns the connection to its source; with `discard` the source closes it. */
  release(discard: boolean): void;
}

type RunAll = NonNullable<Connection['runAll']>;

/** How a connection sends statements together. @throws Error for one that cannot */
export function getRunAll(connection: Connection): RunAll {
  if (!connection.runAll) throw new Error('Connections to a server send statements together');
  return connection.runAll.bind(connection);
}

/** A connection that sends everything with `runAll`. */
export const createBatchConnection = (runAll: RunAll, release: Connection['release']): Connection => ({
  runAll,
  run: async (sql, parameters, signal) => {
    const { results, failure } = await runAll([{ sql, parameters }], signal);
    const [result] = results;
    if (!result) throw failure?.error;
    return result;
  },
  release,
});

export interface ConnectionSource {
  acquire(): Promise<Connection>;
  /** The same source for work of one site, where sites are on several servers. */
  forSite?(siteId: number): ConnectionSource;
  /** Resolves when the server answers on a connection beside those of the source. @throws an error of the driver */
  probe?: () => Promise<void>;
  close(): Promise<void>;
}

/** Decides for each use of a database which server answers. */
export interface ConnectionRoute {
  /** A connection that takes care of the confirmation itself; undefined: one of the source. */
  open(): Connection | undefined;
}

/** The first statement of a request was not answered, because what it assumed is not true. */
export class AssumptionError extends Error {}

/** Texts for which `isPureRead` is remembered: examining a long one takes longer than encoding it. */
const MAX_EXAMINED_TEXTS = 500;
const pureReads = new Map<string, boolean>();

/** Whether a statement can neither write nor lock. */
export function isPureRead({ sql }: Statement): boolean {
  const known = pureReads.get(sql);
  if (known !== undefined) return known;
  const isRead =
    /^\s*(?:select|with)\b/i.test(sql) &&
    !/\b(?:insert|update|delete|merge|share|nextval|setval|set_config)\b|pg_/i.test(sql);
  if (pureReads.size >= MAX_EXAMINED_TEXTS) pureReads.clear();
  pureReads.set(sql, isRead);
  return isRead;
}

/**
 * A statement that confirms what a request assumes, such as its caller. It is sent with the first statements of the request if they
 * only read or can be rolled back, and before them otherwise. No statement of the request is answered before `confirm` has accepted
 * the result.
 */
export class Confirmation {
  readonly statement: Statement;
  readonly #confirm: (result: StatementResult) => boolean;
  readonly #settled = Promise.withResolvers<boolean>();
  #isClaimed = false;

  constructor(statement: Statement, confirm: (result: StatementResult) => boolean) {
    this.statement = statement;
    this.#confirm = confirm;
    // Whoever waits for it gets the error.
    this.#settled.promise.catch(() => {});
  }

  /** Whether the assumption is true. @throws DbError */
  get isTrue(): Promise<boolean> {
    return this.#settled.promise;
  }

  /** The statement is being sent, or was. */
  get isClaimed(): boolean {
    return this.#isClaimed;
  }

  /** True for the first who claims it and must then send the statement. */
  claim(): boolean {
    const isFirst = !this.#isClaimed;
    this.#isClaimed = true;
    return isFirst;
  }

  /** Takes the result of the statement, which was claimed. */
  accept(result: StatementResult): void {
    const isTrue = result.isKnown === true || this.#confirm(result);
    if (isTrue && this.statement.knownRow && result.firstRow) this.statement.knownRow.texts = result.firstRow;
    this.settle(isTrue);
  }

  settle(isTrue: boolean): void {
    this.#settled.resolve(isTrue);
  }

  fail(error: unknown): void {
    this.#settled.reject(error);
  }
}

/** A statement that waits to be sent. Nobody waits for the result of one without `resolve`. */
interface QueuedStatement extends Statement {
  resolve?: (result: StatementResult) => void;
  /** `isSkipped`: the database reported the error for an earlier statement and did not execute this one. */
  reject?: (error: unknown, isSkipped: boolean) => void;
}

/** Publishes the statements of each round trip, for tests and measurements. */
export const roundTrips = channel('steward:db-round-trip');

const transactionEndedError = () => new Error('The transaction has ended: a statement of it was not awaited');

/** Errors of a COMMIT after which it may have been executed; the timeout of a statement ends the embedded database. */
const UNANSWERED_CODES = /^(08|57014|57U04)/;

/** Error of a plan that a change of the schema has made useless; the session has dropped it. */
const isStalePlan = ({ code, message }: DbError): boolean =>
  code === dbErrorCodes.notSupported && message.startsWith('cached plan');

/** Statements whose texts are wanted as bytes. */
const statementsOfBytes = new WeakSet<CompiledQuery>();

/**
 * Executes a statement whose texts become bytes as soon as they arrive. Long texts of a result that waits to be used are moved to the
 * old generation of the heap, which is collected late; bytes are not on the heap.
 */
export function executeAsBytes<Row>(query: RawBuilder<Row>, db: Kysely<Tables>): Promise<QueryResult<Row>> {
  const compiledQuery = query.compile(db);
  statementsOfBytes.add(compiledQuery);
  return db.executeQuery(compiledQuery);
}

/**
 * A connection with the statements that wait to be sent. Those that are executed in the same turn, before any of them is answered,
 * are sent together, in the order of their execution.
 */
export class KyselyConnection implements DatabaseConnection {
  readonly #connection: Connection;
  #signal: AbortSignal | undefined;
  #mustDiscard = false;
  #isClosed = false;
  #queue: QueuedStatement[] = [];
  #isScheduled = false;
  #isSending = false;
  /** The statement that starts the open transaction. It is queued until another statement is sent. */
  #begin: QueuedStatement | undefined;
  /** Whether the open transaction was started as read-only. */
  #isReadOnly = false;
  /** Failure of statements of the open transaction for which nobody waited. */
  #failure: BatchOutcome['failure'];

  readonly #confirmation: Confirmation | undefined;
  readonly #budget: Budget | undefined;
  /** Whether the metrics count the connection: those of the source. */
  readonly isCounted: boolean;

  constructor(
    connection: Connection,
    signal: AbortSignal | undefined,
    {
      confirmation,
      budget,
      isCounted = false,
    }: Pick<DialectOptions, 'confirmation' | 'budget'> & { isCounted?: boolean } = {},
  ) {
    this.#connection = connection;
    this.#signal = signal;
    this.#confirmation = confirmation;
    this.#budget = budget;
    this.isCounted = isCounted;
  }

  release(): void {
    if (this.isCounted) connectionCounts.inUse -= 1;
    this.#isClosed = true;
    this.#connection.release(this.#mustDiscard);
  }

  /** Executes a statement after those that are queued. */
  async run(
    sql: string,
    parameters: readonly unknown[] = [],
    options: Pick<Statement, 'copyData' | 'textsAsBytes'> = {},
  ): Promise<StatementResult> {
    this.#requireTime();
    this.#requireOpen();
    const { promise, resolve, reject } = Promise.withResolvers<StatementResult>();
    this.#queue.push({ sql, parameters, ...options, resolve, reject });
    this.#schedule();
    try {
      return await promise;
    } catch (error) {
      // A new error has the stack of the caller; that of the driver begins at a socket or a thread.
      throw error instanceof AssumptionError ? error : toDbError(error);
    }
  }

  /** Queues a statement whose result is not needed. It is sent with the next one that is executed, which fails if this one does. */
  queue(sql: string, parameters: readonly unknown[] = []): void {
    this.#requireOpen();
    this.#queue.push({ sql, parameters });
  }

  /**
   * Starts to send what is queued, so that the database works while the process prepares what follows. The next statement that is
   * executed, or the commit, fails if one of them does.
   */
  async startSending(): Promise<void> {
    if (this.#queue.length === 0 || !this.#connection.runAll) return;
    this.#schedule();
    await nextTurn();
  }

  /** Starts a transaction together with its first statement. One that may write ignores the abort signal. */
  async begin(sql: string, isReadOnly: boolean): Promise<void> {
    // A transaction that writes is committed or rolled back as a whole.
    if (!isReadOnly) this.#signal = undefined;
    this.#requireTime();
    this.#isReadOnly = isReadOnly;
    this.#failure = undefined;
    // A source that sends statements one by one may use the connection for more than statements.
    if (!this.#connection.runAll) await this.run(sql);
    this.#begin = { sql, parameters: [] };
    if (this.#connection.runAll) this.#queue.push(this.#begin);
  }

  /** @throws DbError when nobody waits for further statements, or they may not begin any more */
  #requireTime(): void {
    if (this.#signal?.aborted) throw abortedError();
    if (this.#budget?.isSpent) throw this.#budget.createError();
  }

  #requireOpen(): void {
    if (this.#failure) throw toDbError(this.#failure.error);
    if (this.#isClosed) throw transactionEndedError();
  }

  /** Commits with the queued statements. @throws DbError 08007 when it is unknown whether the changes are stored */
  async commit(): Promise<void> {
    const begin = this.#begin;
    this.#begin = undefined;
    if (begin && this.#queue[0] === begin && this.#queue.length === 1) {
      this.#queue = [];
      return;
    }
    const { command } = await this.#end('commit');
    // The server answers the commit of a failed transaction with ROLLBACK and no error.
    if (command !== 'COMMIT')
      throw new DbError('The transaction had failed and was rolled back', { code: '25P02' });
    if (!this.#isReadOnly) this.#budget?.noteCommit();
  }

  /** Rolls back; statements that wait to be sent are not executed. */
  async rollback(): Promise<void> {
    const isUnsent = this.#begin !== undefined && this.#queue[0] === this.#begin;
    for (const { reject } of this.#queue) reject?.(transactionEndedError(), true);
    this.#queue = [];
    this.#begin = undefined;
    if (isUnsent) return;
    await this.#end('rollback').catch(() => {
      this.#mustDiscard = true;
    });
  }

  async #end(sql: 'commit' | 'rollback'): Promise<StatementResult> {
    this.#signal = undefined;
    let isSkipped = false;
    const { promise, resolve, reject } = Promise.withResolvers<StatementResult>();
    const rejectEnd = (error: unknown, wasSkipped: boolean) => {
      isSkipped = wasSkipped;
      reject(error);
    };
    this.#queue.push({ sql, parameters: [], resolve, reject: rejectEnd });
    this.#schedule();
    // Nothing can be executed between the end of the transaction and its answer.
    this.#isClosed = true;
    try {
      return await promise;
    } catch (error) {
      const dbError = toDbError(error);
      if (isSkipped || this.#isReadOnly || !UNANSWERED_CODES.test(dbError.code)) throw dbError;
      throw new DbError('The database did not confirm the commit', { code: dbErrorCodes.outcomeUnknown });
    } finally {
      this.#isClosed = false;
    }
  }

  #schedule(): void {
    if (this.#isScheduled || this.#isSending) return;
    this.#isScheduled = true;
    // After all that is executed in the same turn has been queued.
    queueMicrotask(() => process.nextTick(() => void this.#sendQueue()));
  }

  async #sendQueue(): Promise<void> {
    this.#isScheduled = false;
    if (this.#isSending) return;
    const statements = this.#queue;
    this.#queue = [];
    if (statements.length === 0) return;
    if (this.#failure && statements[0]?.sql !== 'rollback') {
      for (const { reject } of statements) reject?.(this.#failure.error, this.#failure.isReported);
      return;
    }
    this.#isSending = true;
    try {
      const outcome = await this.#sendConfirmed(statements);
      // Without its start, the statements of a transaction would be executed one by one.
      if (outcome.failure && outcome.results.length === 0 && statements[0] === this.#begin)
        this.#isClosed = true;
      if (outcome.failure && !statements.slice(outcome.results.length).some(({ reject }) => reject))
        this.#failure = outcome.failure;
      settle(statements, outcome);
    } finally {
      this.#isSending = false;
      if (this.#queue.some(({ resolve }) => resolve)) this.#schedule();
    }
  }

  /** Sends statements with the statement that confirms what they assume, or after it. */
  async #sendConfirmed(statements: readonly Statement[]): Promise<BatchOutcome> {
    const confirmation = this.#confirmation;
    const [first] = statements;
    if (!confirmation || first?.sql === 'rollback') return this.#send(statements);
    const start = first === this.#begin ? 1 : 0;
    // What a transaction does is undone if the assumption is false, as long as its commit is not in the same message.
    const isUndoable = start > 0 && statements.at(-1)?.sql !== 'commit';
    const canJoin = isUndoable || statements.every(isPureRead);
    let outcome: BatchOutcome | undefined;
    if (confirmation.claim()) {
      const sent = canJoin ? statements : [];
      const at = canJoin ? start : 0;
      const { results, ...rest } = await this.#send(sent.toSpliced(at, 0, confirmation.statement));
      const result = results[at];
      if (result) confirmation.accept(result);
      else confirmation.fail(rest.failure?.error);
      if (canJoin) outcome = { results: results.toSpliced(at, 1), ...rest };
    }
    try {
      if (await confirmation.isTrue) return outcome ?? (await this.#send(statements));
      throw new AssumptionError();
    } catch (error) {
      return { results: (outcome?.results ?? []).slice(0, start), failure: { error, isReported: true } };
    }
  }

  /** Sends statements; never rejects. */
  async #send(statements: readonly Statement[]): Promise<BatchOutcome> {
    const outcome = await this.#runAll(statements);
    const error = outcome.failure?.error;
    const isRepeatable = !this.#begin && error instanceof DbError && isStalePlan(error);
    return isRepeatable ? this.#runAll(statements) : outcome;
  }

  async #runAll(statements: readonly Statement[]): Promise<BatchOutcome> {
    const signal = this.#signal;
    if (roundTrips.hasSubscribers) roundTrips.publish(statements.map(({ sql }) => sql));
    // The texts have placeholders for values.
    const endSpan = getActiveSpan()?.startChild('sql', {
      'db.system.name': 'postgresql',
      'db.query.text': statements.map(({ sql }) => sql).join(';\n'),
    });
    const send = (limiting: AbortSignal | undefined): Promise<BatchOutcome> =>
      this.#connection.runAll
        ? this.#connection.runAll(statements, limiting)
        : this.#runEach(statements, limiting);
    // A transaction that ends is over soon, and what became of it must be known.
    const budget = isEnd(statements.at(-1)) ? undefined : this.#budget;
    let outcome: BatchOutcome;
    try {
      outcome = await (budget ? budget.run(send, signal) : send(signal));
    } catch (error) {
      outcome = { results: [], failure: { error, isReported: false } };
    }
    endSpan?.(outcome.failure?.error);
    // Statements outside a transaction are committed with their result.
    const isCommitted = !this.#begin && !isEnd(statements.at(-1)) && !outcome.failure;
    if (isCommitted && !statements.every(isPureRead)) budget?.noteCommit();
    if (!outcome.failure || outcome.failure.error instanceof AssumptionError) return outcome;
    const error = toDbError(outcome.failure.error);
    // After errors of class 08 the state of the server is unknown: a late reply must not reach the next user.
    if (error.code.startsWith('08')) this.#mustDiscard = true;
    return { ...outcome, failure: { ...outcome.failure, error: explainCancelling(error, signal, budget) } };
  }

  async #runEach(statements: readonly Statement[], signal: AbortSignal | undefined): Promise<BatchOutcome> {
    const results: StatementResult[] = [];
    for (const { sql, parameters } of statements)
      results.push(await this.#connection.run(sql, parameters, signal));
    return { results };
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const textsAsBytes = statementsOfBytes.has(query);
    const { rows, affectedRows } = await this.run(query.sql, query.parameters, { textsAsBytes });
    // Kysely's contract: the caller's row type is what its statement selects.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return { rows: rows as R[], numAffectedRows: BigInt(affectedRows) };
  }

  // oxlint-disable-next-line require-yield
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('Streaming is not supported: read large results page by page with keyset conditions');
  }
}

/** The error of a statement that was cancelled, which says why. An end of a transaction has no budget. */
function explainCancelling(
  error: DbError,
  signal: AbortSignal | undefined,
  budget: Budget | undefined,
): DbError {
  if (error.code !== dbErrorCodes.statementTimeout) return error;
  if (signal?.aborted) return abortedError();
  return budget?.isSpent ? budget.createError() : error;
}

/** Gives each statement its result. Those after a failed one were not executed and fail with its error. */
function settle(statements: readonly QueuedStatement[], { results, failure }: BatchOutcome): void {
  for (const [index, { resolve, reject }] of statements.entries()) {
    const result = results[index];
    if (result) resolve?.(result);
    else reject?.(failure?.error, failure?.isReported === true && index > results.length);
  }
}

class ConnectionSourceDriver implements Driver {
  readonly #source: ConnectionSource;
  readonly #signal: AbortSignal | undefined;
  readonly #confirmation: Confirmation | undefined;
  readonly #route: ConnectionRoute | undefined;
  readonly #budget: Budget | undefined;
  #closed: Promise<void> | undefined;

  constructor(source: ConnectionSource, { signal, confirmation, route, budget }: DialectOptions) {
    this.#source = source;
    this.#signal = signal;
    this.#confirmation = confirmation;
    this.#route = route;
    this.#budget = budget;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<KyselyConnection> {
    const routed = this.#route?.open();
    if (routed) return new KyselyConnection(routed, this.#signal, { budget: this.#budget });
    return new KyselyConnection(await this.#acquire(), this.#signal, {
      confirmation: this.#confirmation,
      budget: this.#budget,
      isCounted: true,
    });
  }

  /** Reports a failure to get a connection as aborted, not as an error of the database, when the signal fired meanwhile. */
  async #acquire(): Promise<Connection> {
    if (this.#signal?.aborted) throw abortedError();
    if (this.#budget?.isSpent) throw this.#budget.createError();
    connectionCounts.awaited += 1;
    const startedAt = performance.now();
    try {
      const connection = await (this.#budget?.run((signal) => this.#acquireUntil(signal)) ??
        this.#source.acquire());
      connectionCounts.inUse += 1;
      return connection;
    } catch (error) {
      throw this.#signal?.aborted ? abortedError() : toDbError(error);
    } finally {
      connectionCounts.awaited -= 1;
      connectionWait.observe((performance.now() - startedAt) / 1_000);
    }
  }

  /** A connection, unless the budget is spent before there is one. */
  async #acquireUntil(signal: AbortSignal | undefined): Promise<Connection> {
    const acquiring = this.#source.acquire();
    if (!signal) return acquiring;
    const { promise: ended, reject } = Promise.withResolvers<never>();
    const end = () => {
      // One that comes later goes back.
      acquiring.then((connection) => connection.release(false)).catch(() => {});
      reject(this.#budget?.createError());
    };
    signal.addEventListener('abort', end, { once: true });
    try {
      return await Promise.race([acquiring, ended]);
    } finally {
      signal.removeEventListener('abort', end);
    }
  }

  async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    const level = settings.isolationLevel ? ` isolation level ${settings.isolationLevel}` : '';
    const access = settings.accessMode ? ` ${settings.accessMode}` : '';
    await this.#get(connection).begin(
      `start transaction${level}${access}`,
      settings.accessMode === 'read only',
    );
  }

  /** @throws DbError 08007 when the database gave no answer, so that the changes may have been stored or not */
  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await this.#get(connection).commit();
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await this.#get(connection).rollback();
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    this.#get(connection).release();
  }

  destroy(): Promise<void> {
    return (this.#closed ??= this.#source.close());
  }

  #get(connection: DatabaseConnection): KyselyConnection {
    if (!(connection instanceof KyselyConnection))
      throw new Error('This connection belongs to another driver');
    return connection;
  }
}

export interface DialectOptions {
  signal?: AbortSignal | undefined;
  confirmation?: Confirmation | undefined;
  route?: ConnectionRoute | undefined;
  budget?: Budget | undefined;
}

const ADAPTER = new PostgresAdapter();

/** Composes the text of a `sql` template and its values; undefined if it has parts other than templates, names and values. */
function composeText({ sqlFragments, parameters }: RawNode, values: unknown[]): string | undefined {
  let text = '';
  for (const [index, fragment] of sqlFragments.entries()) {
    text += fragment;
    const part = parameters[index];
    if (part === undefined) continue;
    if (RawNode.is(part)) {
      const inner = composeText(part, values);
      if (inner === undefined) return undefined;
      text += inner;
    } else if (IdentifierNode.is(part)) text += `"${part.name.replaceAll('"', '""')}"`;
    else if (ValueNode.is(part) && part.immediate !== true) text += `$${values.push(part.value)}`;
    else return undefined;
  }
  return text;
}

/** Compiles `sql` templates, which nearly all statements are, without the visitor of Kysely, which takes several times as long. */
class TemplateCompiler extends PostgresQueryCompiler {
  override compileQuery(node: RootOperationNode, queryId: QueryId): CompiledQuery {
    const parameters: unknown[] = [];
    const text = RawNode.is(node) ? composeText(node, parameters) : undefined;
    return text === undefined
      ? super.compileQuery(node, queryId)
      : { query: node, queryId, sql: text, parameters };
  }
}

const COMPILER = new TemplateCompiler();

/** Stands for a value in a statement that is composed before its values are known. */
class ValuePlace {
  readonly index: number;

  constructor(index: number) {
    this.index = index;
  }
}

/**
 * Defines a statement whose text is the same for all values: it is composed at its first use only. `compose` gets a place for each value;
 * other parameters of the statement are the same at each use.
 */
export function defineStatement<Values extends readonly unknown[], Row>(
  compose: (...places: { [Index in keyof Values]: RawBuilder<Values[Index]> }) => RawBuilder<Row>,
): (...values: Values) => CompiledQuery<Row> {
  let composed: CompiledQuery | undefined;
  const composeOnce = () => {
    const places = Array.from({ length: compose.length }, (_, index) => kyselySql.val(new ValuePlace(index)));
    // The mapped type of the places is that of the values, which `compose` alone knows.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return compose(...(places as never)).compile(UNUSED_EXECUTOR);
  };
  return (...values) => {
    composed ??= composeOnce();
    const { query, queryId, sql: text, parameters } = composed;
    return {
      query,
      queryId,
      sql: text,
      parameters: parameters.map((each) => (each instanceof ValuePlace ? values[each.index] : each)),
    };
  };
}

type ProvideConnection = ConnectionProvider['provideConnection'];

/** Executes statements on the connections that it is given, without the layers of Kysely for plugins, logs and aborts. */
export class DirectExecutor extends DefaultQueryExecutor {
  readonly #provideConnection: ProvideConnection;

  constructor(provideConnection: ProvideConnection) {
    super(COMPILER, ADAPTER, { provideConnection });
    this.#provideConnection = provideConnection;
  }

  override executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return this.#provideConnection((connection) => connection.executeQuery<R>(query));
  }

  override withConnectionProvider(provider: ConnectionProvider): DirectExecutor {
    return new DirectExecutor((consume) => provider.provideConnection(consume));
  }
}

/** Compiles only. */
const UNUSED_EXECUTOR = {
  getExecutor: () => new DirectExecutor(() => Promise.reject(new Error('Nothing is executed'))),
};

/**
 * PostgreSQL dialect over a source of connections. `signal` aborts statements, except those in transactions that may write;
 * `confirmation` comes before the answer to any statement; `route` may choose another server, `budget` limits all waits
 * together.
 */
export const createDialect = (source: ConnectionSource, options: DialectOptions = {}): Dialect => ({
  createAdapter: () => ADAPTER,
  createDriver: () => new ConnectionSourceDriver(source, options),
  createIntrospector: (db) => new PostgresIntrospector(db),
  createQueryCompiler: () => COMPILER,
});

/** Properties of a Kysely with this dialect that is made for a single request: it costs little, and executes directly. */
export function createProps(source: ConnectionSource, options: DialectOptions = {}): KyselyProps {
  const driver = new ConnectionSourceDriver(source, options);
  const dialect = createDialect(source, options);
  const executor = new DirectExecutor(async (consume) => {
    const connection = await driver.acquireConnection();
    try {
      return await consume(connection);
    } finally {
      connection.release();
    }
  });
  return { config: { dialect }, dialect, driver, executor };
}

/** Timeouts of database access in milliseconds, the same for the embedded database and PostgreSQL. */
export interface Limits {
  /** Execution of one statement; on PostgreSQL 0 means no limit. */
  statementMs: number;
  /** Wait for a connection: a free one of the pool, a new one to the server, or the one of the embedded database. */
  waitMs: number;
  /** Pause between two statements of a transaction, which holds its locks and the embedded database meanwhile. */
  idleMs: number;
}

export const DEFAULT_LIMITS: Limits = { statementMs: 30_000, waitMs: 10_000, idleMs: 15_000 };
