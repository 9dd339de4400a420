/** Kysely dialect for both databases; they differ only in their source of connections. */
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type TransactionSettings,
} from 'kysely';
import { abortedError, DbError, dbErrorCodes, getDbError, toDbError } from './errors.ts';

export interface StatementResult {
  rows: Record<string, unknown>[];
  /** First word of the command tag: SELECT, INSERT, COMMIT, ... */
  command: string;
  /** Rows written; 0 for a statement that only reads. */
  affectedRows: number;
}

/** A connection to the database server, held exclusively until its release. */
export interface Connection {
  /**
   * Runs one statement. After an abort through `signal` it may be cancelled. The connection can be used again as soon as the
   * returned promise settles.
   */
  run(sql: string, parameters: readonly unknown[], signal?: AbortSignal): Promise<StatementResult>;
  /** Returns the connection to its source; with `discard` the source closes it. */
  release(discard: boolean): void;
}

export interface ConnectionSource {
  acquire(): Promise<Connection>;
  close(): Promise<void>;
}

class KyselyConnection implements DatabaseConnection {
  readonly #connection: Connection;
  #signal: AbortSignal | undefined;
  #mustDiscard = false;
  /** Whether the open transaction was started as read-only. */
  isReadOnly = false;

  constructor(connection: Connection, signal: AbortSignal | undefined) {
    this.#connection = connection;
    this.#signal = signal;
  }

  /** Ignores the abort signal from now on: a transaction that writes is committed or rolled back as a whole. */
  ignoreAbort(): this {
    this.#signal = undefined;
    return this;
  }

  discard(): void {
    this.#mustDiscard = true;
  }

  release(): void {
    this.#connection.release(this.#mustDiscard);
  }

  async run(sql: string, parameters: readonly unknown[] = []): Promise<StatementResult> {
    const signal = this.#signal;
    if (signal?.aborted) throw abortedError();
    try {
      return await this.#connection.run(sql, parameters, signal);
    } catch (error) {
      // A new error has the stack of the caller; that of the driver begins at a socket or a thread.
      const dbError = toDbError(error);
      // After errors of class 08 the state of the server is unknown: a late reply must not reach the next user.
      if (dbError.code.startsWith('08')) this.#mustDiscard = true;
      if (signal?.aborted && dbError.code === dbErrorCodes.statementTimeout) throw abortedError();
      throw dbError;
    }
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { rows, affectedRows } = await this.run(query.sql, query.parameters);
    // Kysely's contract: the caller's row type is what its statement selects.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return { rows: rows as R[], numAffectedRows: BigInt(affectedRows) };
  }

  // oxlint-disable-next-line require-yield
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('Streaming is not supported: read large results page by page with keyset conditions');
  }
}

/** Errors of a COMMIT after which it may have been executed; the timeout of a statement ends the embedded database. */
const UNANSWERED_CODES = /^(08|57014)/;

class ConnectionSourceDriver implements Driver {
  readonly #source: ConnectionSource;
  readonly #signal: AbortSignal | undefined;
  readonly #connections = new WeakMap<DatabaseConnection, KyselyConnection>();

  constructor(source: ConnectionSource, signal: AbortSignal | undefined) {
    this.#source = source;
    this.#signal = signal;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    const connection = new KyselyConnection(await this.#acquire(), this.#signal);
    this.#connections.set(connection, connection);
    return connection;
  }

  /** Reports a failure to get a connection as aborted, not as an error of the database, when the signal fired meanwhile. */
  async #acquire(): Promise<Connection> {
    if (this.#signal?.aborted) throw abortedError();
    try {
      return await this.#source.acquire();
    } catch (error) {
      throw this.#signal?.aborted ? abortedError() : toDbError(error);
    }
  }

  async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    const level = settings.isolationLevel ? ` isolation level ${settings.isolationLevel}` : '';
    const access = settings.accessMode ? ` ${settings.accessMode}` : '';
    const own = this.#get(connection);
    own.isReadOnly = settings.accessMode === 'read only';
    if (!own.isReadOnly) own.ignoreAbort();
    await own.run(`start transaction${level}${access}`);
  }

  /** @throws DbError 08007 when the database gave no answer, so that the changes may have been stored or not */
  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    const own = this.#get(connection).ignoreAbort();
    const { command } = await own.run('commit').catch((error: unknown) => {
      if (own.isReadOnly || !UNANSWERED_CODES.test(getDbError(error)?.code ?? '')) throw error;
      throw new DbError('The database did not confirm the commit', { code: dbErrorCodes.outcomeUnknown });
    });
    // The server answers the commit of a failed transaction with ROLLBACK and no error.
    if (command !== 'COMMIT') {
      throw new DbError('The transaction had failed and was rolled back', { code: '25P02' });
    }
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    const own = this.#get(connection).ignoreAbort();
    await own.run('rollback').catch(() => own.discard());
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    this.#get(connection).release();
  }

  async destroy(): Promise<void> {
    await this.#source.close();
  }

  #get(connection: DatabaseConnection): KyselyConnection {
    const own = this.#connections.get(connection);
    if (!own) throw new Error('This connection belongs to another driver');
    return own;
  }
}

/**
 * PostgreSQL dialect over a source of connections. `signal` aborts statements, except those in transactions that may write.
 */
export function createDialect(source: ConnectionSource, signal?: AbortSignal): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new ConnectionSourceDriver(source, signal),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
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
