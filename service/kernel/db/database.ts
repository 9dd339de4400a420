import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  CompiledQuery,
  type DatabaseConnection,
  Kysely,
  type KyselyProps,
  type RawBuilder,
  sql,
  Transaction,
} from 'kysely';
import { findLostWorkers, isOfCluster } from './cluster.ts';
import { Budget, type BudgetLimits } from './driver/budget.ts';
import {
  Confirmation,
  type ConnectionSource,
  createProps,
  DEFAULT_LIMITS,
  type DialectOptions,
  DirectExecutor,
  KyselyConnection,
  type Limits,
} from './driver/dialect.ts';
import { getDbError, dbErrorCodes, toDbError } from './driver/errors.ts';
import { openPostgres, type PostgresOptions } from './driver/postgres.ts';
import { createReadOnlySource } from './driver/read-only.ts';
import { createRecord, createRecordingSource, ReadRoute, Standby } from './driver/standby.ts';
import type { KnownRow, StatementResult } from './driver/statement-batch.ts';
import { watchWorkers } from './driver/worker-watch.ts';
import { explainIncompatibility, migrate, readMigrationState } from './migrate.ts';
import { refuseMoved } from './moved-database.ts';
import { type EmbeddedOptions, openEmbedded } from './pglite/pglite.ts';
import type { Tables } from './tables/index.ts';

export type Db = Kysely<Tables>;
/** An open transaction. Functions that write require one, so that a write is never committed alone. */
export type Tx = Transaction<Tables>;

export interface Database {
  db: Db;
  kind: 'embedded' | 'postgres';
  /** Resolves when the database answers and accepts writes. @throws DbError */
  ping: () => Promise<void>;
  /** Resolves when the server answers, though all connections of the process may be in use; undefined for the embedded database. @throws DbError */
  probe?: (() => Promise<void>) | undefined;
  /** Copies the embedded database to a folder that can be opened as one, while it is in use; undefined on PostgreSQL. */
  copyTo?: ((dataDir: string) => Promise<void>) | undefined;
  /** State of the standby that answers reads, if there is one. */
  standby?: Pick<Standby, 'status' | 'measure'> | undefined;
  close: () => Promise<void>;
}

/** A hot standby that answers reads. */
export interface ReadSettings {
  databaseUrl: string;
  maxConnections: number;
  /** A standby that is further behind answers nothing. */
  maxLagMs: number;
}

/** What a database is made of. */
interface DbParts extends DialectOptions {
  source: ConnectionSource;
  /** The database of the process from which a request has its own. */
  shared?: Db | undefined;
  /** Undefined: all statements go to `source`. */
  standby?: Standby | undefined;
  /** The user whose writes are recorded. */
  userId?: number | undefined;
  confirmation?: Confirmation | undefined;
  /** Limits of the waits of one request. */
  budgetLimits?: BudgetLimits | undefined;
}

const embeddedSources = new WeakSet<ConnectionSource>();

/** A database that knows what it is made of. */
class OpenDb extends Kysely<Tables> {
  readonly parts: DbParts;

  constructor(parts: DbParts) {
    super(createProps(parts.source, parts));
    this.parts = parts;
  }
}

const createDb = (parts: DbParts): Db => new OpenDb(parts);

const findParts = (db: Db): DbParts | undefined => (db instanceof OpenDb ? db.parts : undefined);

/** @throws Error with the reason within a transaction */
function getParts(db: Db, reason: string): DbParts {
  const parts = findParts(db);
  if (!parts) throw new Error(reason);
  return parts;
}

/**
 * The same database for reads that can be aborted: after the signal fires no statement starts, and PostgreSQL cancels a running
 * one; the embedded database cannot. Transactions that may write ignore the signal.
 * @throws Error within a transaction
 */
export const withAbortSignal = (db: Db, signal: AbortSignal): Db =>
  createDb({ ...getParts(db, 'Within a transaction statements cannot be aborted'), signal });

/** A budget for one request; undefined where statements have no limit, as with a database that was not opened by `openDatabase`. */
export function createBudget(db: Db): Budget | undefined {
  const budgetLimits = findParts(getSharedDb(db))?.budgetLimits;
  return budgetLimits && new Budget(budgetLimits);
}

/** The same database within a budget; without one, for work that others wait for too. @throws Error within a transaction */
export function withBudget(db: Db, budget: Budget | undefined): Db {
  const parts = getParts(db, 'Within a transaction the budget is that of its start');
  return createDb({ ...parts, budget, shared: parts.shared ?? db });
}

/**
 * The same database for callers that can only read: the database refuses every statement that writes (25006), whatever the code does.
 * @throws Error within a transaction
 */
export function withReadOnly(db: Db): Db {
  const { source, confirmation, budget, budgetLimits } = getParts(
    db,
    'A transaction is read-only from its start or not at all',
  );
  const readOnly = createReadOnlySource(source);
  if (embeddedSources.has(source)) embeddedSources.add(readOnly);
  return createDb({ source: readOnly, confirmation, budget, budgetLimits });
}

/**
 * The same database for work in the name of a user: what it writes is recorded, so that no standby shows the user a state before it. The
 * same database without a standby.
 * @throws Error within a transaction
 */
export function withRecordedWrites(db: Db, userId: number): Db {
  const parts = getParts(db, 'Writes are recorded from the start of a transaction or not at all');
  const { source, standby, shared = db } = parts;
  if (!standby || parts.userId !== undefined) return db;
  const recording = createRecordingSource(source, standby, userId, () => {});
  return createDb({ ...parts, source: recording, userId, shared });
}

/**
 * A function that counts what the user is about to be shown as a write of the user: a standby answers the next reads only if it has
 * replayed it. For responses that tell of changes of others, such as events, after which a program reads what has changed. Does nothing
 * without a standby. It may outlive the request, whose database it does not keep.
 */
export function createShownRecorder(db: Db): () => Promise<void> {
  const { userId, shared } = findParts(db) ?? {};
  if (userId === undefined || !shared) return async () => {};
  return async () => {
    const { sql: text, parameters } = createRecord(userId);
    await shared.executeQuery(CompiledQuery.raw(text, [...parameters]));
  };
}

/** The database of the process, for what its requests do together. */
export const getSharedDb = (db: Db): Db => findParts(db)?.shared ?? db;

/** The same database for work of one site, which ends early while the server with its rows does not answer; an open transaction stays as it is. */
export function withSite(db: Db, siteId: number | undefined): Db {
  const parts = findParts(db);
  const source = siteId === undefined ? undefined : parts?.source.forSite?.(siteId);
  return parts && source ? createDb({ ...parts, source, shared: parts.shared ?? db }) : db;
}

/**
 * The database as a request of a user uses it: `db` records what it writes, and statements of `createReadDb`, which are aborted with
 * the signal, may be answered by a standby that has replayed all recorded writes of the user. Once a request has used `db`, all its
 * statements go to the primary, so that what it reads never becomes older. The budget is that of both.
 * @throws Error within a transaction
 */
export function openForUser(
  ownDb: Db,
  userId: number | undefined,
  budget?: Budget,
): { db: Db; createReadDb: (signal: AbortSignal) => Db } {
  const db = budget ? withBudget(ownDb, budget) : ownDb;
  const parts = findParts(db);
  if (!parts?.standby || userId === undefined)
    return { db, createReadDb: (signal) => withAbortSignal(db, signal) };
  const { source, standby, confirmation, shared = db } = parts;
  const route = new ReadRoute(standby, userId, { confirmation, primary: source });
  return {
    db: createDb({
      ...parts,
      source: createRecordingSource(source, standby, userId, () => route.leave()),
      userId,
      shared,
    }),
    createReadDb: (signal) => createDb({ ...parts, signal, route, shared }),
  };
}

/** A database for a request that assumes something, and whether that is true. */
export interface AssumingDb {
  db: Db;
  /** Executes the confirming statement if it has not been sent with another. @throws DbError */
  isConfirmed(): Promise<boolean>;
}

/**
 * The same database for a request that assumes something, which `statement` confirms if `confirm` returns true for its rows. It
 * takes no round trip of its own when the first statements of the request only read or belong to a transaction. No statement is
 * answered and nothing is committed before the confirmation; without it all of them fail. With `knownRow`, the row that confirmed it
 * confirms it again without `confirm`.
 */
export function assume<Row>(
  db: Db,
  statement: RawBuilder<Row> | CompiledQuery<Row>,
  confirm: (rows: Row[]) => boolean,
  knownRow?: KnownRow,
): AssumingDb {
  const { source, standby, shared = db } = getParts(db, 'Within a transaction nothing can be assumed');
  const query = 'compile' in statement ? statement.compile(db) : statement;
  const { sql: text, parameters } = query;
  // Kysely's contract: the caller's row type is what its statement selects.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const accept = ({ rows }: StatementResult) => confirm(rows as Row[]);
  const confirmation = new Confirmation({ sql: text, parameters, knownRow }, accept);
  return {
    db: createDb({ source, standby, confirmation, shared }),
    async isConfirmed() {
      if (!confirmation.isClaimed) {
        // Claimed with a connection only: a statement of the request that still waits for the one of the embedded database would get it
        // first, and wait for a confirmation that waits for the connection.
        const sending = db.connection().execute(async (connection) => {
          if (!confirmation.claim()) return;
          await connection.executeQuery(query).then(
            ({ rows }) => confirmation.settle(confirm(rows)),
            (error: unknown) => confirmation.fail(error),
          );
        });
        await Promise.race([sending, confirmation.isTrue]);
      }
      return confirmation.isTrue;
    },
  };
}

/**
 * Whether this is the embedded database. It has one connection: a transaction that stays open makes every request wait, and
 * transactions run one after another.
 */
export function isEmbedded(db: Db): boolean {
  const parts = findParts(db);
  return parts !== undefined && embeddedSources.has(parts.source);
}

/** A separate pool without statement timeout: migrations may wait for those of another process, and indexes take long. */
const openForMigrations = (databaseUrl: string, limits: Limits): Db =>
  createDb({ source: openPostgres(databaseUrl, { ...limits, statementMs: 0 }, { maxConnections: 1 }) });

interface OpeningOptions {
  acceptsMoved: boolean;
  budgetLimits: BudgetLimits | undefined;
}

async function openServer(
  databaseUrl: string,
  limits: Limits,
  {
    acceptsMoved,
    budgetLimits,
    pool,
    reads,
  }: OpeningOptions & { pool: PostgresOptions; reads?: ReadSettings | undefined },
): Promise<OpenedDatabase> {
  const migrating = pool.isPooled
    ? createDb({ source: openPostgres(databaseUrl, limits, { maxConnections: 1, isPooled: true }) })
    : openForMigrations(databaseUrl, limits);
  try {
    if (pool.isPooled) await refuseMigrations(migrating);
    else await migrate(migrating, 'postgres');
    if (!acceptsMoved) await refuseMoved(migrating);
  } finally {
    await migrating.destroy();
  }
  const source = await openSource(databaseUrl, limits, pool);
  const standby = reads && openStandby(source, limits, { ...reads, isPooled: pool.isPooled ?? false });
  const probe = () =>
    (source.probe?.() ?? Promise.resolve()).catch((error: unknown) => {
      throw toDbError(error);
    });
  return { db: createDb({ source, standby, budgetLimits }), standby, probe };
}

/** Opens the connections to a server. The workers of a cluster are watched through separate connections. */
async function openSource(
  databaseUrl: string,
  limits: Limits,
  pool: PostgresOptions,
): Promise<ConnectionSource> {
  const source = openPostgres(databaseUrl, limits, pool);
  try {
    if (!(await isOfCluster(createDb({ source })))) return source;
  } catch (error) {
    await source.close();
    throw error;
  }
  const checks = createDb({ source: openPostgres(databaseUrl, limits, pool) });
  const closeBoth = async () => {
    await source.close();
    await checks.destroy();
  };
  return watchWorkers({ ...source, close: closeBoth }, () => findLostWorkers(checks));
}

/** Wait for a connection to a standby before the primary answers instead. */
const STANDBY_WAIT_MS = 1_000;

function openStandby(
  primary: ConnectionSource,
  limits: Limits,
  { databaseUrl, maxConnections, isPooled, maxLagMs }: ReadSettings & { isPooled: boolean },
): Standby {
  const waitMs = Math.min(limits.waitMs, STANDBY_WAIT_MS);
  const source = openPostgres(databaseUrl, { ...limits, waitMs }, { maxConnections, isPooled });
  return new Standby(source, primary, maxLagMs);
}

/** Migrations and the locks of their indexes need a session of their own, which a pooler does not give. @throws Error */
async function refuseMigrations(db: Db): Promise<void> {
  const state = await readMigrationState(db);
  const reason = explainIncompatibility(state);
  if (reason !== undefined) throw new Error(reason);
  if (state.pending.length > 0)
    throw new Error(
      'Migrations are pending, which cannot run through a pooler: run steward migrate --run with DATABASE_POOLED=off and the ' +
        'DATABASE_URL of the server itself',
    );
}

/** An open database; `copyCluster` copies the embedded one while it is in use. */
interface OpenedDatabase {
  db: Db;
  standby?: Standby | undefined;
  probe?: (() => Promise<void>) | undefined;
  copyCluster?: (folder: string) => Promise<void>;
}

async function openFolder(
  folder: string,
  options: EmbeddedOptions,
  { acceptsMoved, budgetLimits }: OpeningOptions,
): Promise<OpenedDatabase> {
  const source = await openEmbedded(folder, options);
  embeddedSources.add(source);
  const db = createDb({ source, budgetLimits });
  try {
    await migrate(db, 'embedded');
    if (!acceptsMoved) await refuseMoved(db);
    return { db, copyCluster: (copy) => source.copyTo(copy) };
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

/** Limits of the waits of a request that may wait for each connection and each statement as long as these limits say. */
function createBudgetLimits({ statementMs, waitMs }: Limits, requestMs?: number): BudgetLimits | undefined {
  const singleMs = statementMs === 0 ? Infinity : statementMs + waitMs;
  const totalMs = requestMs ?? 2 * singleMs;
  return totalMs === Infinity ? undefined : { totalMs, singleMs };
}

/** Opens the database and migrates its schema: PostgreSQL when a URL is given, otherwise the embedded database in `dataDir`. */
export async function openDatabase(options: {
  databaseUrl: string | undefined;
  dataDir: string;
  limits?: Partial<Limits>;
  /** All waits of one request in milliseconds; default: twice the longest wait for a connection and a statement. */
  requestMs?: number;
  /** Whether a commit of the embedded database waits until it is on the disk; default: no. */
  syncsToDisk?: boolean;
  /** Opens also a database whose data were moved, or are being moved. */
  acceptsMoved?: boolean;
  pool?: PostgresOptions;
  /** A hot standby of the server that answers reads; undefined: none does. */
  reads?: ReadSettings | undefined;
  /** Adds to the error of a folder that cannot be opened what an operator can do; default: nothing. */
  advice?: EmbeddedOptions['advice'];
}): Promise<Database> {
  const {
    databaseUrl,
    dataDir,
    syncsToDisk = false,
    acceptsMoved = false,
    pool = {},
    reads,
    advice,
  } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const opening = { acceptsMoved, budgetLimits: createBudgetLimits(limits, options.requestMs) };
  const { db, standby, probe, copyCluster }: OpenedDatabase = databaseUrl
    ? await openServer(databaseUrl, limits, { ...opening, pool, reads })
    : await openFolder(join(dataDir, 'db'), { limits, syncsToDisk, advice }, opening);
  return {
    db,
    copyTo: copyCluster && ((copy) => copyCluster(join(copy, 'db', 'cluster'))),
    kind: databaseUrl ? 'postgres' : 'embedded',
    // Locks no row, but a database that is read-only refuses it.
    ping: () =>
      withTransaction(db, {}, async (tx) => {
        await sql`select site_id from site where false for update`.execute(tx);
      }),
    probe,
    standby,
    close: async () => {
      await standby?.close();
      await db.destroy();
    },
  };
}

/** Runs `work` on the database without migrating it first, and closes it. */
export async function withUnmigrated<T>(
  { databaseUrl, dataDir }: { databaseUrl: string | undefined; dataDir: string },
  work: (db: Db, kind: Database['kind']) => Promise<T>,
): Promise<T> {
  const limits = {
    ...DEFAULT_LIMITS,
    statementMs: databaseUrl === undefined ? DEFAULT_LIMITS.statementMs : 0,
  };
  const db = databaseUrl
    ? openForMigrations(databaseUrl, limits)
    : createDb({ source: await openEmbedded(join(dataDir, 'db'), { limits, syncsToDisk: false }) });
  try {
    return await work(db, databaseUrl ? 'postgres' : 'embedded');
  } finally {
    await db.destroy();
  }
}

const MAX_TRANSACTION_ATTEMPTS = 6;
/** First key of the advisory locks of sites; the second is the id of the site. No other lock of the service uses it. */
const SITE_LOCK_KEY = 7_401;

/**
 * True for errors after which nothing was written and a retry may succeed; a lost connection may have committed. A read-only
 * server is tried once more: the next connection may reach the new primary.
 */
function isRetryable(error: unknown, attempt: number): boolean {
  const code = getDbError(error)?.code;
  return (
    code === dbErrorCodes.serializationFailure ||
    code === dbErrorCodes.deadlock ||
    // A plan from before a change of the schema, which the session has dropped.
    ((code === dbErrorCodes.readOnly || code === dbErrorCodes.notSupported) && attempt === 0)
  );
}

/** Exponential backoff with full jitter: up to 10, 20, 40, ... ms. */
const backOff = (attempt: number) => sleep(Math.random() * 10 * 2 ** attempt);

/** Properties of a transaction or a single connection, which begins and ends elsewhere. */
const UNUSED_PROPS = createProps({
  acquire: () => Promise.reject(new Error('The connection is given')),
  close: async () => {},
});

/** A transaction whose statements are sent together. */
class ParallelTransaction extends Transaction<Tables> {
  readonly sharedConnection: KyselyConnection;
  /** Listeners that `withTransaction` calls after the commit, each once. */
  readonly commitListeners = new Set<() => void>();

  constructor(props: KyselyProps, connection: KyselyConnection) {
    super(props);
    this.sharedConnection = connection;
  }
}

/** @throws Error outside of `withTransaction` */
function requireParallel(tx: Tx): ParallelTransaction {
  if (!(tx instanceof ParallelTransaction))
    throw new Error('Only transactions of withTransaction send statements together and know their commit');
  return tx;
}

/**
 * Runs `fn` with a connection whose statements are sent together when they are executed at the same time, in the order of their
 * execution. Kysely's own connections send each after the answer to the one before.
 */
const provideParallelConnection = <T>(
  serial: Db,
  fn: (props: KyselyProps, connection: DatabaseConnection) => Promise<T>,
): Promise<T> =>
  serial
    .getExecutor()
    .provideConnection((connection) =>
      fn({ ...UNUSED_PROPS, executor: new DirectExecutor((consume) => consume(connection)) }, connection),
    );

const provideParallelTransaction = <T>(
  serialTx: Tx,
  fn: (tx: ParallelTransaction) => Promise<T>,
): Promise<T> =>
  provideParallelConnection(serialTx, (props, connection) => {
    if (!(connection instanceof KyselyConnection))
      throw new Error('The connection belongs to another driver');
    return fn(new ParallelTransaction(props, connection));
  });

/**
 * Runs `fn` with one connection: statements that are executed at the same time (`Promise.all`) take one round trip. Those that are
 * sent together are committed together, or none of them after an error of the database.
 */
export const runTogether = <T>(db: Db, fn: (connection: Db) => Promise<T>): Promise<T> =>
  db.connection().execute((serial) => provideParallelConnection(serial, (props) => fn(new Kysely(props))));

/** A statement of Kysely: a builder, or text of `sql`. */
interface AnyStatement {
  compile(tx: Tx): CompiledQuery;
}

/**
 * Executes a statement whose result is not needed: it is sent with the next statement of the transaction or with its COMMIT, so it
 * takes no round trip of its own. An error of it is thrown there, so it must not be one that the next statement handles.
 */
export function executeLater(query: AnyStatement | CompiledQuery, tx: Tx): void {
  const { sql: text, parameters } = 'compile' in query ? query.compile(tx) : query;
  requireParallel(tx).sharedConnection.queue(text, parameters);
}

/**
 * Sends the statements of `executeLater` now instead of with the next one, so that the database executes them while the process prepares
 * what follows. Their errors are thrown where they would be without this call. For long statements: it costs a round trip.
 */
export const sendEarly = (tx: Tx): Promise<void> => requireParallel(tx).sharedConnection.startSending();

/**
 * Executes `copy … from stdin` with rows in the text format, which takes about half as long as an INSERT of them. PostgreSQL only: the
 * embedded database has no such statement.
 */
export async function copyRows(tx: Tx, query: AnyStatement, rows: Uint8Array): Promise<void> {
  const { sql: text, parameters } = query.compile(tx);
  await requireParallel(tx).sharedConnection.run(text, parameters, { copyData: rows });
}

/**
 * Runs `fn` in one transaction. Statements that are executed at the same time (`Promise.all`) are sent together, in order. After a serialization failure or deadlock it retries from the start, up to six attempts, so
 * `fn` must not have side effects outside the database that cannot be repeated.
 * `lockedSiteId`: transactions with the same site id run one after the other and see each other's changes; others run in
 * parallel. The embedded database runs one transaction at a time anyway.
 */
export async function withTransaction<T>(
  db: Db,
  { lockedSiteId }: { lockedSiteId?: number | undefined },
  fn: (tx: Tx) => Promise<T>,
): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    let commitListeners: ReadonlySet<() => void> = new Set();
    let result: T;
    try {
      result = await db
        .transaction()
        .setIsolationLevel('read committed')
        .execute((serialTx) =>
          provideParallelTransaction(serialTx, async (tx) => {
            ({ commitListeners } = tx);
            // The first statement: earlier reads would not see what the previous holder of the lock has written.
            if (lockedSiteId !== undefined)
              executeLater(
                sql`select pg_advisory_xact_lock(${SITE_LOCK_KEY}::int, ${lockedSiteId}::int)`,
                tx,
              );
            return fn(tx);
          }),
        );
    } catch (error) {
      if (attempt + 1 >= MAX_TRANSACTION_ATTEMPTS || !isRetryable(error, attempt)) throw error;
      await backOff(attempt);
      continue;
    }
    for (const listener of commitListeners) listener();
    return result;
  }
}

/** Calls `listener` once when the transaction of `withTransaction` has committed; not if it is rolled back, or its attempt is repeated. */
export function onCommit(tx: Tx, listener: () => void): void {
  requireParallel(tx).commitListeners.add(listener);
}

/** Runs `fn` within a transaction; if it throws, what it wrote is undone and the transaction can continue. */
export async function withSavepoint<T>(tx: Tx, fn: () => Promise<T>): Promise<T> {
  await sql`savepoint step`.execute(tx);
  try {
    const result = await fn();
    await sql`release savepoint step`.execute(tx);
    return result;
  } catch (error) {
    await sql`rollback to savepoint step`.execute(tx);
    throw error;
  }
}

/**
 * Runs `read` in one read-only snapshot, so that its statements see the same data whatever is written meanwhile. If a standby does not
 * finish it, it runs again on the primary, so `read` must have no side effects.
 */
export async function readInSnapshot<T>(db: Db, read: (tx: Tx) => Promise<T>): Promise<T> {
  const run = () =>
    db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(read);
  try {
    return await run();
  } catch (error) {
    if (getDbError(error)?.code !== dbErrorCodes.standbyLost) throw error;
    return run();
  }
}

/**
 * Reads a table page by page for an export: on PostgreSQL in one snapshot. The embedded database has one connection, and a transaction
 * that stays open would make every request wait (docs/decisions/0046): there each statement sees the rows of its own moment.
 */
export const readExportSnapshot = <T>(db: Db, read: (db: Db) => Promise<T>): Promise<T> =>
  isEmbedded(db) ? read(db) : readInSnapshot(db, read);
