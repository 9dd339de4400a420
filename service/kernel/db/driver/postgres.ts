/** Connections to the PostgreSQL server of DATABASE_URL. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool, type Connection as PgConnection, type PoolClient, type Submittable } from 'pg';
import { DatabaseError } from 'pg-protocol';
import { getErrorCode } from '../../error-code.ts';
import type { Connection, ConnectionSource, Limits } from './dialect.ts';
import { dbErrorCodes } from './errors.ts';
import { SET_READ_ONLY } from './read-only.ts';
import { PROBE_TIMEOUT_MS, type ServerWatch, ServerSilentError, watchServer } from './server-watch.ts';
import {
  type BatchOutcome,
  endsSession,
  getOnlyResult,
  SessionPlans,
  type Statement,
  StatementBatch,
  type StatementResult,
} from './statement-batch.ts';

/** Plans of the server process behind each client. */
const plansByClient = new WeakMap<PoolClient, SessionPlans>();

function getPlans(client: PoolClient, isPooled: boolean): SessionPlans {
  const plans = plansByClient.get(client) ?? new SessionPlans(!isPooled);
  plansByClient.set(client, plans);
  return plans;
}

/** A batch as a query of pg, which passes the messages of the server to it. Settles with the `callback`, as pg requires. */
class BatchQuery implements Submittable {
  callback: (error: Error | null, outcome: BatchOutcome) => void;
  readonly #batch: StatementBatch;

  constructor(batch: StatementBatch, callback: BatchQuery['callback']) {
    this.#batch = batch;
    this.callback = callback;
  }

  submit({ stream }: PgConnection): void {
    // One write: each costs more than the encoding of a small statement.
    stream.write(Buffer.concat(this.#batch.takeMessages()));
  }

  handleRowDescription({ fields }: { fields: readonly { name: string; dataTypeID: number }[] }): void {
    this.#batch.addDescription(fields);
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    this.#batch.addRow(fields);
  }

  handleCommandComplete({ text }: { text: string }): void {
    this.#batch.completeStatement(text);
  }

  handleEmptyQuery(): void {
    this.#batch.completeStatement('');
  }

  handleCopyInResponse(connection: { sendCopyFail: (message: string) => void }): void {
    if (!this.#batch.hasCopyData) connection.sendCopyFail('The statement has no rows to copy');
  }

  handleCopyData(): void {}

  /** An error of the server, or of the connection. */
  handleError(error: Error): void {
    this.#batch.fail(error, error instanceof DatabaseError && !endsSession(error));
    this.callback(null, this.#batch.outcome);
  }

  handleReadyForQuery(): void {
    this.callback(null, this.#batch.outcome);
  }
}

/** Sends a batch. Settles with the failure in the outcome; never rejects. */
function sendBatch(client: PoolClient, batch: StatementBatch): Promise<BatchOutcome> {
  const { promise, resolve } = Promise.withResolvers<BatchOutcome>();
  // With an error pg gave up waiting for the server.
  client.query(
    new BatchQuery(batch, (error, outcome) => {
      if (error) batch.fail(error, false);
      resolve(outcome ?? batch.outcome);
    }),
  );
  return promise;
}

/** Id of the server process behind a client, which the type of the client does not declare. */
function getProcessId(client: PoolClient): number | undefined {
  const id: unknown = 'processID' in client ? client.processID : undefined;
  return typeof id === 'number' ? id : undefined;
}

/**
 * Cancels what a server process is running if it is this statement: behind a pooler or after a failover, the process id may
 * belong to another client. pg_stat_activity has the first characters of the statement.
 */
const CANCEL_STATEMENT = `select pg_cancel_backend(pid) from pg_stat_activity
  where pid = $1 and state <> 'idle' and starts_with($2, query)`;

/** Cancels a running statement through a second connection. */
interface Canceller {
  connect(): Promise<PoolClient>;
  /** Sends the cancel request on this client and releases the client; never rejects. */
  cancel(client: PoolClient): Promise<void>;
}

/** What a connection needs of its source. */
interface ConnectionContext {
  cancelPool: Pool;
  watch: ServerWatch;
  /** Called when the server refuses a write because it is read-only. */
  onReadOnly: () => void;
  /** Statement that sets the limits of a transaction behind a pooler, whose sessions have those of others. */
  settings: Statement | undefined;
  /** Takes the client back; with `discard` it is closed. */
  release: (client: PoolClient, discard: boolean) => void;
}

/** Values go in and out as text, as on the embedded database. */
class PostgresConnection implements Connection {
  readonly #client: PoolClient;
  readonly #context: ConnectionContext;
  readonly #plans: SessionPlans;
  #isInTransaction = false;
  #mayBeCancelledLater = false;
  /** Whether a statement of this connection was given up: its answer may still arrive. */
  #isLost = false;
  /** Whether the open transaction was started as read-only; then it refuses writes on any server. */
  #isReadOnlyByChoice = false;

  constructor(client: PoolClient, context: ConnectionContext) {
    this.#client = client;
    this.#context = context;
    this.#plans = getPlans(client, context.settings !== undefined);
  }

  async runAll(wanted: readonly Statement[], wantedSignal?: AbortSignal): Promise<BatchOutcome> {
    if (this.#isLost) throw new ServerSilentError();
    const { settings } = this.#context;
    if (!settings) return this.#runBatch(wanted, wantedSignal);
    const at = this.#findSettingsIndex(wanted);
    if (at === undefined) return this.#runBatch(wanted, undefined);
    const outcome = await this.#runBatch(wanted.toSpliced(at, 0, settings), undefined);
    return { ...outcome, results: outcome.results.toSpliced(at, 1) };
  }

  async run(sql: string, parameters: readonly unknown[], signal?: AbortSignal): Promise<StatementResult> {
    return getOnlyResult(await this.runAll([{ sql, parameters }], signal));
  }

  release(discard: boolean): void {
    this.#context.release(this.#client, discard || this.#mayBeCancelledLater);
  }

  /** Where the statement with the settings belongs: first in its transaction, which is the message if none is open. */
  #findSettingsIndex(statements: readonly Statement[]): number | undefined {
    if (this.#isInTransaction) return undefined;
    return statements[0]?.sql.startsWith('start transaction') ? 1 : 0;
  }

  #noteTransaction(sql: string): void {
    if (sql.startsWith('start transaction')) {
      this.#isReadOnlyByChoice = sql.endsWith('read only');
      this.#isInTransaction = true;
    } else if (sql === SET_READ_ONLY) this.#isReadOnlyByChoice = true;
    else if (sql === 'commit' || sql === 'rollback') {
      this.#isReadOnlyByChoice = false;
      this.#isInTransaction = false;
    }
  }

  async #runBatch(statements: readonly Statement[], signal: AbortSignal | undefined): Promise<BatchOutcome> {
    for (const { sql } of statements) this.#noteTransaction(sql);
    const { watch, onReadOnly } = this.#context;
    const batch = new StatementBatch(statements, this.#plans);
    const sent = watch.guard(() => sendBatch(this.#client, batch));
    let outcome: BatchOutcome;
    try {
      outcome = await (signal
        ? cancelOnAbort(signal, sent, this.#createCanceller(statements.at(-1)?.sql ?? ''))
        : sent);
    } catch (error) {
      this.#isLost ||= error instanceof ServerSilentError;
      throw error;
    }
    if (
      outcome.failure &&
      getErrorCode(outcome.failure.error) === dbErrorCodes.readOnly &&
      !this.#isReadOnlyByChoice
    )
      onReadOnly();
    return outcome;
  }

  #createCanceller(statement: string): Canceller {
    const { cancelPool } = this.#context;
    return {
      connect: () => cancelPool.connect(),
      cancel: async (cancelClient) => {
        try {
          await cancelClient.query(CANCEL_STATEMENT, [getProcessId(this.#client) ?? 0, statement]);
          cancelClient.release();
        } catch {
          // The server may still process the request, so nobody else may get this connection.
          this.#mayBeCancelledLater = true;
          cancelClient.release(true);
        }
      },
    };
  }
}

/** A statement that was sent just before may not have started when the server gets the cancel request, which is repeated then. */
const CANCEL_RETRY_MS = 500;

/**
 * Cancels the query when the signal aborts. Settles after the server has answered the cancel request: the server ignores a
 * request that arrives while the connection is idle, so the next user's statement is never cancelled instead. If no second
 * connection is available, the query runs to its end or its timeout.
 */
async function cancelOnAbort<T>(signal: AbortSignal, query: Promise<T>, canceller: Canceller): Promise<T> {
  const settled = Promise.allSettled([query]);
  let isSettled = false;
  let cancelling: Promise<void> | undefined;
  const cancelUntilSettled = async () => {
    for (;;) {
      // Repeated only while the statement still runs.
      const cancelClient = await canceller.connect().catch(() => undefined);
      if (isSettled) return cancelClient?.release();
      if (cancelClient) await (cancelling = canceller.cancel(cancelClient));
      await Promise.race([settled, sleep(CANCEL_RETRY_MS, undefined, { ref: false })]);
    }
  };
  const handleAbort = () => void cancelUntilSettled();
  signal.addEventListener('abort', handleAbort, { once: true });
  try {
    return await query;
  } finally {
    isSettled = true;
    signal.removeEventListener('abort', handleAbort);
    await cancelling;
  }
}

/** Connections of a process to the server, unless a setting says otherwise. */
const DEFAULT_POOL_SIZE = 10;
/** Timeout of connections and statements that control others: cancel requests and probes. */
const CONTROL_TIMEOUT_MS = PROBE_TIMEOUT_MS + 500;
/** Time after which connections that are handed on directly go back to the pool, which closes idle ones. */
const HAND_ON_MS = 1_000;
/** Shortest time between two replacements of all connections of a pool. */
const MIN_RENEWAL_INTERVAL_MS = 1_000;

export interface PostgresOptions {
  maxConnections?: number;
  /** Whether the URL leads to a pooler that gives each transaction another session, such as PgBouncer in transaction mode. */
  isPooled?: boolean;
}

// The connection check ends the statement of a client that was killed. JIT is off: to compile the many expressions of a
// statement that writes rows takes longer than to run it.
const SETTINGS = { client_connection_check_interval: '500ms', timezone: 'UTC', jit: 'off' };

/** The settings of a session as a statement, for the current transaction only. */
function createSettingsStatement({ statementMs, idleMs }: Limits): Statement {
  const settings = Object.entries({
    ...SETTINGS,
    statement_timeout: `${statementMs}ms`,
    idle_in_transaction_session_timeout: `${idleMs}ms`,
  });
  return {
    sql: `select ${settings.map(([name, value]) => `set_config('${name}', '${value}', true)`).join(', ')}`,
    parameters: [],
  };
}

/** Opens a pool. All waiting has a timeout, also with a hung server or network or a forgotten transaction. */
export function openPostgres(
  databaseUrl: string,
  limits: Limits,
  { maxConnections = DEFAULT_POOL_SIZE, isPooled = false }: PostgresOptions = {},
): ConnectionSource {
  const { statementMs, waitMs, idleMs } = limits;
  // A pooler refuses most parameters of a new connection.
  const sessionOptions = {
    statement_timeout: statementMs,
    idle_in_transaction_session_timeout: idleMs,
    options: Object.entries(SETTINGS)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
  };
  const settings = isPooled ? createSettingsStatement(limits) : undefined;
  const options = {
    ...(!isPooled && sessionOptions),
    connectionString: databaseUrl,
    // Five minutes: the first statements of a new connection, without plans and catalog caches, cost ten times as much.
    idleTimeoutMillis: 300_000,
    application_name: 'steward',
    connectionTimeoutMillis: waitMs,
    // A hung server (SIGSTOP, a cut cable) does not enforce its own timeout: the client gives up a little later.
    query_timeout: statementMs === 0 ? 0 : statementMs + 2_000,
  };
  const controlOptions = {
    ...options,
    max: 1,
    connectionTimeoutMillis: CONTROL_TIMEOUT_MS,
    query_timeout: CONTROL_TIMEOUT_MS,
  };
  const pool = new Pool({ ...options, max: maxConnections });
  // A separate pool: slow statements that hold all connections of the main pool can still be cancelled.
  const cancelPool = new Pool({ ...controlOptions, idleTimeoutMillis: 10_000 });
  const probePool = new Pool(controlOptions);
  // An idle connection that breaks is replaced; one in use rejects its next statement. Without listeners the error events
  // would end the process: the pool emits those of idle clients, each client its own while it is in use.
  for (const each of [pool, cancelPool, probePool]) {
    each.on('error', () => {});
    each.on('connect', (client) => client.on('error', () => {}));
  }
  const watch = watchServer(() => probePool.query('select 1'));
  // Connections made before the server was found to be read-only are replaced: after a failover, new ones reach the primary.
  const generations = new WeakMap<PoolClient, number>();
  let generation = 0;
  let renewedAt = -Infinity;
  pool.on('connect', (client) => generations.set(client, generation));
  const onReadOnly = (): void => {
    if (performance.now() - renewedAt < MIN_RENEWAL_INTERVAL_MS) return;
    renewedAt = performance.now();
    generation += 1;
  };
  const acquireClient = async (): Promise<PoolClient> => {
    let connecting: Promise<PoolClient> | undefined;
    try {
      return await watch.guard(() => (connecting = pool.connect()));
    } catch (error) {
      // A connection that is established later goes back.
      connecting?.then((client) => client.release(true)).catch(() => {});
      throw error;
    }
  };
  // Clients that were used just now. The next user gets them directly: the pool would set a timer and listeners for each use.
  let handedOn: PoolClient[] = [];
  let returnTimer: NodeJS.Timeout | undefined;
  const returnAll = (): void => {
    returnTimer = undefined;
    const clients = handedOn;
    handedOn = [];
    for (const client of clients) client.release();
  };
  const broken = new WeakSet<PoolClient>();
  /** A client that breaks while nobody uses it is closed, as the pool does with idle ones. */
  const dropBroken = (client: PoolClient): void => {
    broken.add(client);
    if (!handedOn.includes(client)) return;
    handedOn = handedOn.filter((each) => each !== client);
    client.release(true);
  };
  pool.on('connect', (client) => {
    client.on('error', () => dropBroken(client));
    client.on('end', () => dropBroken(client));
  });
  const context: ConnectionContext = {
    cancelPool,
    watch,
    onReadOnly,
    settings,
    release(client, discard) {
      // Callers that wait for a connection do so in the pool.
      if (discard || broken.has(client) || pool.ending || pool.waitingCount > 0)
        return client.release(discard);
      handedOn.push(client);
      returnTimer ??= setTimeout(returnAll, HAND_ON_MS).unref();
    },
  };
  return {
    async acquire() {
      for (;;) {
        const client = (watch.isSilent ? undefined : handedOn.pop()) ?? (await acquireClient());
        if (generations.get(client) === generation) return new PostgresConnection(client, context);
        client.release(true);
      }
    },
    probe: async () => {
      await probePool.query('select 1');
    },
    close: async () => {
      watch.close();
      clearTimeout(returnTimer);
      const ended = pool.end();
      returnAll();
      await ended;
      await Promise.all([cancelPool.end(), probePool.end()]);
    },
  };
}
