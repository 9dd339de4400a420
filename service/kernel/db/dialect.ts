/** Kysely's driver for both databases: they differ only in where a line to the server comes from. */
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
import { DbError, faults, toDbError, unasked } from './errors.ts';

export interface Reply {
  rows: Record<string, unknown>[];
  command: string;
  /** Rows written; 0 for a statement that only reads. */
  affected: number;
}

/** One session with the server, ours until released. `lost` makes the source throw it away. */
export interface Line {
  /** `gone`: the statement may be ended as soon as nobody waits for it; it is done with the line when this settles. */
  run(sql: string, parameters: readonly unknown[], gone?: AbortSignal): Promise<Reply>;
  release(lost: boolean): void;
}

export interface Source {
  acquire(): Promise<Line>;
  close(): Promise<void>;
}

class Connection implements DatabaseConnection {
  readonly #line: Line;
  #gone: AbortSignal | undefined;
  #lost = false;

  constructor(line: Line, gone: AbortSignal | undefined) {
    this.#line = line;
    this.#gone = gone;
  }

  /** From here on everything is done to its end: what is written is committed or rolled back as a whole. */
  untilDone(): this {
    this.#gone = undefined;
    return this;
  }

  async run(sql: string, parameters: readonly unknown[] = []): Promise<Reply> {
    const gone = this.#gone;
    if (gone?.aborted) throw unasked();
    try {
      return await this.#line.run(sql, parameters, gone);
    } catch (error) {
      // Told anew here, for the stack of the caller: the driver's begins at a socket or a thread.
      const known = toDbError(error);
      // Class 08 leaves the server's state unknown: an answer that comes late must not meet the next caller.
      if (known.code.startsWith('08')) this.#lost = true;
      if (gone?.aborted && known.code === faults.tooSlow) throw unasked();
      throw known;
    }
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { rows, affected } = await this.run(query.sql, query.parameters);
    // Kysely's contract: the caller's row type is what its statement selects.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return { rows: rows as R[], numAffectedRows: BigInt(affected) };
  }

  // oxlint-disable-next-line require-yield
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('Large results are read by key, page after page; there is no streaming');
  }

  discard(): void {
    this.#lost = true;
  }

  release(): void {
    this.#line.release(this.#lost);
  }
}

class LineDriver implements Driver {
  readonly #source: Source;
  readonly #gone: AbortSignal | undefined;
  readonly #open = new WeakMap<DatabaseConnection, Connection>();

  constructor(source: Source, gone: AbortSignal | undefined) {
    this.#source = source;
    this.#gone = gone;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    const connection = new Connection(await this.#acquire(), this.#gone);
    this.#open.set(connection, connection);
    return connection;
  }

  /** A line; where there is none in time, and nobody waits any more, that is no fault of the database. */
  async #acquire(): Promise<Line> {
    if (this.#gone?.aborted) throw unasked();
    try {
      return await this.#source.acquire();
    } catch (error) {
      throw this.#gone?.aborted ? unasked() : toDbError(error);
    }
  }

  async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    const level = settings.isolationLevel ? ` isolation level ${settings.isolationLevel}` : '';
    const access = settings.accessMode ? ` ${settings.accessMode}` : '';
    const own = this.#of(connection);
    await (settings.accessMode === 'read only' ? own : own.untilDone()).run(
      `start transaction${level}${access}`,
    );
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    const { command } = await this.#of(connection).untilDone().run('commit');
    // The server answers the commit of a failed transaction with ROLLBACK and no error: nothing was kept.
    if (command !== 'COMMIT') {
      throw new DbError('The transaction had failed and was rolled back', { code: '25P02' });
    }
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    const own = this.#of(connection).untilDone();
    await own.run('rollback').catch(() => own.discard());
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    this.#of(connection).release();
  }

  async destroy(): Promise<void> {
    await this.#source.close();
  }

  #of(connection: DatabaseConnection): Connection {
    const own = this.#open.get(connection);
    if (!own) throw new Error('This connection belongs to another driver');
    return own;
  }
}

/** The PostgreSQL dialect over a source of lines; `gone`: nobody waits any more for what stands in no transaction that writes. */
export function lineDialect(source: Source, gone?: AbortSignal): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new LineDriver(source, gone),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}
