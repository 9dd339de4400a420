import { existsSync } from 'node:fs';
/** The embedded database: PGlite in a worker thread, one connection for the whole process. */
import { chmod, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createFolder } from '../../create-folder.ts';
import type { Connection, ConnectionSource, Limits } from '../driver/dialect.ts';
import { DbError, dbErrorCodes, toDbError } from '../driver/errors.ts';
import {
  type BatchOutcome,
  getOnlyResult,
  type Statement,
  type StatementResult,
} from '../driver/statement-batch.ts';
import { adviseOnFolder, DatabaseFolderError, explainSpace } from './copies.ts';
import { createFolderCopy } from './folder-copy.ts';
import { lockFolder } from './folder-lock.ts';
import { Mutex } from './mutex.ts';
import { PgliteSession } from './pglite-session.ts';

const MAINTENANCE_INTERVAL_MS = 60_000;
/** Timeout of one maintenance statement. */
const MAINTENANCE_TIMEOUT_MS = 600_000;
/** A table is vacuumed and analyzed after this many changed or dead rows plus this share of its live rows. */
const VACUUM_THRESHOLD_ROWS = 5_000;
const VACUUM_SCALE_FACTOR = 0.02;
/** Factor of the row threshold while the database is busy. */
const BUSY_THRESHOLD_FACTOR = 10;

/** Makes the counters of this session visible in pg_stat_user_tables. */
const FLUSH_STATISTICS = 'select pg_stat_force_next_flush()';
/** Tables that are due for vacuum, the smallest first. Parameter: the row threshold. */
const FIND_TABLES_TO_VACUUM = `select format('%I.%I', schemaname, relname) as name from pg_stat_user_tables
  where greatest(n_dead_tup, n_mod_since_analyze) >= ($1::int + ${VACUUM_SCALE_FACTOR} * n_live_tup) order by n_live_tup`;

const closedError = () => new DbError('The database is closed', { code: dbErrorCodes.connectionLost });

export interface EmbeddedOptions {
  limits: Limits;
  /** Whether a commit waits until it is on the disk, and so survives a power failure. */
  syncsToDisk: boolean;
  /** Adds to the error of a folder that cannot be opened what to do, and the newest of the copies in this folder; default: nothing. */
  advice?: { copiesFolder: string | undefined } | undefined;
}

/** The embedded database, which can be copied while it is in use. */
interface EmbeddedSource extends ConnectionSource {
  copyTo(folder: string): Promise<void>;
}

class PgliteConnectionSource implements EmbeddedSource {
  readonly #clusterFolder: string;
  readonly #syncsToDisk: boolean;
  readonly #limits: Limits;
  readonly #mutex: Mutex;
  readonly #unlockFolder: () => Promise<void>;
  readonly #maintenanceTimer: NodeJS.Timeout;
  #session: PgliteSession;
  #isClosing = false;
  #hasWritesSinceCheckpoint = false;
  #isMaintaining = false;

  constructor(
    clusterFolder: string,
    { limits, syncsToDisk }: EmbeddedOptions,
    unlockFolder: () => Promise<void>,
  ) {
    this.#clusterFolder = clusterFolder;
    this.#syncsToDisk = syncsToDisk;
    this.#limits = limits;
    this.#mutex = new Mutex(limits.waitMs);
    this.#unlockFolder = unlockFolder;
    this.#session = new PgliteSession(clusterFolder, syncsToDisk);
    this.#maintenanceTimer = setInterval(() => {
      this.#maintain().catch((error: unknown) => {
        const { code, message } = toDbError(error);
        // A busy database is maintained at the next interval; a closing one no more.
        if (code !== dbErrorCodes.connectionTimeout && !this.#isClosing)
          process.emitWarning(`Database maintenance failed: ${message}`);
      });
    }, MAINTENANCE_INTERVAL_MS).unref();
  }

  /** Resolves when the database is ready. @throws DatabaseFolderError when it cannot be opened; the lock of the folder is released then */
  async waitUntilReady(): Promise<void> {
    try {
      await this.#session.ready;
    } catch (error) {
      await this.close();
      const folder = this.#clusterFolder;
      const space = await explainSpace(dirname(folder));
      throw new DatabaseFolderError(`The database in ${folder} cannot be opened${space}`, { cause: error });
    }
  }

  async acquire(): Promise<Connection> {
    const releaseMutex = await this.#mutex.acquire();
    try {
      return this.#createConnection(await this.#getSession(), releaseMutex);
    } catch (error) {
      releaseMutex();
      throw error;
    }
  }

  /** Waits within the limits for the connection that is in use, and refuses new ones. */
  async close(): Promise<void> {
    if (this.#isClosing) return;
    this.#isClosing = true;
    clearInterval(this.#maintenanceTimer);
    await this.#mutex.acquire().catch(() => {});
    try {
      await this.#session.stop(this.#limits.statementMs);
    } finally {
      await this.#unlockFolder();
    }
  }

  /** The current session; a new one on the same folder after a timeout or a crash ended the last. Needs the mutex. */
  async #getSession(): Promise<PgliteSession> {
    if (this.#isClosing) throw closedError();
    if (this.#session.endReason) {
      await this.#session.exited;
      this.#session = new PgliteSession(this.#clusterFolder, this.#syncsToDisk);
    }
    await this.#session.ready;
    return this.#session;
  }

  /** A connection that holds the mutex. If it idles too long between statements, its session is killed: all others wait for it. */
  #createConnection(session: PgliteSession, releaseMutex: () => void): Connection {
    const { idleMs } = this.#limits;
    const handleIdleTimeout = () => {
      const text = `The transaction was idle for more than ${idleMs / 1000} s and was rolled back`;
      session.kill(new DbError(text, { code: dbErrorCodes.connectionLost }));
      releaseMutex();
    };
    let idleTimeout = setTimeout(handleIdleTimeout, idleMs);
    const runAll = async (statements: readonly Statement[]) => {
      clearTimeout(idleTimeout);
      try {
        return await this.#run(session, statements);
      } finally {
        idleTimeout = setTimeout(handleIdleTimeout, idleMs);
      }
    };
    return {
      runAll,
      run: async (sql, parameters) => getOnlyResult(await runAll([{ sql, parameters }])),
      release: () => {
        clearTimeout(idleTimeout);
        releaseMutex();
      },
    };
  }

  async #run(session: PgliteSession, statements: readonly Statement[]): Promise<BatchOutcome> {
    const outcome = await session.run(statements, this.#limits.statementMs);
    this.#hasWritesSinceCheckpoint ||= outcome.results.some(
      ({ command }) => command !== 'SELECT' && command !== 'SET',
    );
    return outcome;
  }

  /**
   * Vacuums, analyzes and checkpoints: PGlite runs neither autovacuum nor the checkpointer, so dead rows and the write-ahead
   * log would grow without bound. Each statement takes the mutex for itself, which lets waiting requests run between two tables.
   */
  async #maintain(): Promise<void> {
    if (!this.#hasWritesSinceCheckpoint || this.#isMaintaining) return;
    this.#isMaintaining = true;
    try {
      const threshold = VACUUM_THRESHOLD_ROWS * (this.#mutex.isLocked ? BUSY_THRESHOLD_FACTOR : 1);
      await this.#runMaintenance(FLUSH_STATISTICS);
      const { rows: tables } = await this.#runMaintenance(FIND_TABLES_TO_VACUUM, [threshold]);
      for (const { name } of tables) {
        await this.#runMaintenance(`vacuum ${String(name)}`);
        await this.#runMaintenance(`analyze ${String(name)}`);
      }
      this.#hasWritesSinceCheckpoint = false;
      await this.#runMaintenance('checkpoint');
    } finally {
      this.#isMaintaining = false;
    }
  }

  /**
   * Copies the cluster to a folder while requests are served. They wait only for the second pass, which copies the files that have
   * changed during the first. The copy is that of a killed process: PostgreSQL recovers when it is opened.
   */
  async copyTo(folder: string): Promise<void> {
    const copy = createFolderCopy(this.#clusterFolder, folder);
    await this.#runMaintenance('checkpoint');
    await copy.copyChanged();
    const releaseMutex = await this.#mutex.acquire();
    try {
      await this.#getSession();
      await copy.copyChanged();
    } finally {
      releaseMutex();
    }
  }

  async #runMaintenance(sql: string, parameters: readonly unknown[] = []): Promise<StatementResult> {
    if (this.#isClosing) throw closedError();
    const releaseMutex = await this.#mutex.acquire();
    try {
      const session = await this.#getSession();
      return getOnlyResult(await session.run([{ sql, parameters }], MAINTENANCE_TIMEOUT_MS));
    } finally {
      releaseMutex();
    }
  }
}

/**
 * Deletes the cluster of a first start that was interrupted. The marker file exists until the database was open once, so such a
 * cluster never held any data.
 */
async function deleteUnfinishedCluster(clusterFolder: string, markerFile: string): Promise<void> {
  if (existsSync(markerFile)) await rm(clusterFolder, { recursive: true, force: true });
  if (!existsSync(clusterFolder)) await writeFile(markerFile, 'The first start has not finished.\n');
}

/**
 * Opens the embedded database in a folder and creates it when the folder is empty.
 * @throws Error when another process uses the folder, DatabaseFolderError when the database cannot be opened
 */
export async function openEmbedded(folder: string, options: EmbeddedOptions): Promise<EmbeddedSource> {
  await createFolder(folder);
  // PGlite creates world-readable files, so the folder must deny access, also one that existed before.
  await chmod(folder, 0o700);
  const unlockFolder = await lockFolder(folder);
  const clusterFolder = join(folder, 'cluster');
  const markerFile = join(folder, 'unfinished');
  try {
    await deleteUnfinishedCluster(clusterFolder, markerFile);
    const source = new PgliteConnectionSource(clusterFolder, options, unlockFolder);
    await source.waitUntilReady();
    await rm(markerFile, { force: true });
    return source;
  } catch (error) {
    await unlockFolder();
    if (options.advice && error instanceof DatabaseFolderError)
      throw await adviseOnFolder(error, clusterFolder, options.advice.copiesFolder);
    throw error;
  }
}
