/** The embedded database: PGlite in a worker thread, one connection for the whole process. */
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Line, Reply, Source } from './dialect.ts';
import { DbError, faults, toDbError } from './errors.ts';
import { lockFolder } from './folder-lock.ts';
import type { Limits } from './limits.ts';
import { Session } from './pglite-session.ts';
import { Turns } from './turns.ts';

const upkeepMs = 60_000;
const upkeepLimitMs = 600_000;
/** Rows of a table, written or dead, and their share of all, after which it is vacuumed and its statistics renewed. */
const vacuumAfterRows = 5_000;
const vacuumAfterShare = 0.02;
/** So many times as many while requests come one upon the other. */
const whenBusy = 10;

/** Tables that are due, the quick ones first; counts of this session come into the statistics only by `countNow`. */
const countNow = 'select pg_stat_force_next_flush()';
const tablesDue = `select format('%I.%I', schemaname, relname) as name from pg_stat_user_tables
  where greatest(n_dead_tup, n_mod_since_analyze) >= ($1::int + ${vacuumAfterShare} * n_live_tup) order by n_live_tup`;

const closed = () => new DbError('The database is closed', { code: faults.lost });

class EmbeddedSource implements Source {
  readonly #cluster: string;
  readonly #limits: Limits;
  readonly #turns: Turns;
  readonly #unlock: () => Promise<void>;
  readonly #upkeep: NodeJS.Timeout;
  #session: Session;
  #closing = false;
  #writtenSinceCheckpoint = false;
  #maintaining = false;

  constructor(cluster: string, limits: Limits, unlock: () => Promise<void>) {
    this.#cluster = cluster;
    this.#limits = limits;
    this.#turns = new Turns(limits.waitMs);
    this.#unlock = unlock;
    this.#session = new Session(cluster);
    this.#upkeep = setInterval(() => {
      this.#maintain().catch((error: unknown) => {
        const { code, message } = toDbError(error);
        // Whoever is at it for so long leaves a turn the next time; who closes meanwhile is not kept waiting.
        if (code !== faults.busy && !this.#closing) process.emitWarning(`Database upkeep failed: ${message}`);
      });
    }, upkeepMs).unref();
  }

  /** Resolves when the database answers for the first time; when it cannot, everything is given back. */
  async opened(): Promise<void> {
    try {
      await this.#session.ready;
    } catch (error) {
      await this.close();
      throw new Error(`The database in ${this.#cluster} cannot be opened`, { cause: error });
    }
  }

  async acquire(): Promise<Line> {
    const release = await this.#turns.take();
    try {
      return this.#line(await this.#live(), release);
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Lets the turn that runs come to its end, as far as the limits allow, and admits no other. */
  async close(): Promise<void> {
    if (this.#closing) return;
    this.#closing = true;
    clearInterval(this.#upkeep);
    await this.#turns.take().catch(() => {});
    try {
      await this.#session.stop(this.#limits.statementMs);
    } finally {
      await this.#unlock();
    }
  }

  /** The session of this turn: after the watchdog or a crash ended the last one, a new one on the same folder. */
  async #live(): Promise<Session> {
    if (this.#closing) throw closed();
    if (this.#session.ended) {
      await this.#session.gone;
      this.#session = new Session(this.#cluster);
    }
    await this.#session.ready;
    return this.#session;
  }

  /** The line of one turn. A turn that falls asleep between statements would stop everybody: it loses its session. */
  #line(session: Session, release: () => void): Line {
    const { idleMs } = this.#limits;
    const abandon = () => {
      const text = `The transaction was idle for more than ${idleMs / 1000} s and was rolled back`;
      session.kill(new DbError(text, { code: faults.lost }));
      release();
    };
    let asleep = setTimeout(abandon, idleMs);
    return {
      run: async (sql, parameters) => {
        clearTimeout(asleep);
        try {
          return await this.#run(session, sql, parameters);
        } finally {
          asleep = setTimeout(abandon, idleMs);
        }
      },
      release: () => {
        clearTimeout(asleep);
        release();
      },
    };
  }

  async #run(session: Session, sql: string, parameters: readonly unknown[]) {
    const reply = await session.run(sql, parameters, this.#limits.statementMs);
    this.#writtenSinceCheckpoint ||= reply.command !== 'SELECT';
    return reply;
  }

  /**
   * PGlite runs neither autovacuum nor the checkpointer: without this, dead rows and the write-ahead log grow for ever.
   * Requests wait meanwhile, so each table has turns of its own: whoever waits comes before the next.
   */
  async #maintain(): Promise<void> {
    if (!this.#writtenSinceCheckpoint || this.#maintaining) return;
    this.#maintaining = true;
    try {
      const rows = this.#turns.idle ? vacuumAfterRows : whenBusy * vacuumAfterRows;
      await this.#inTurn(countNow);
      const due = await this.#inTurn(tablesDue, [rows]);
      for (const { name } of due.rows) {
        // oxlint-disable no-await-in-loop -- one connection
        await this.#inTurn(`vacuum ${String(name)}`);
        await this.#inTurn(`analyze ${String(name)}`);
        // oxlint-enable no-await-in-loop
      }
      this.#writtenSinceCheckpoint = false;
      await this.#inTurn('checkpoint');
    } finally {
      this.#maintaining = false;
    }
  }

  /** One statement of upkeep, when nobody is before it. */
  async #inTurn(statement: string, parameters: readonly unknown[] = []): Promise<Reply> {
    if (this.#closing) throw closed();
    const release = await this.#turns.take();
    try {
      const session = await this.#live();
      return await session.run(statement, parameters, upkeepLimitMs);
    } finally {
      release();
    }
  }
}

/**
 * A first start that was cut off leaves half a cluster, told by the mark that the first full opening removes: it
 * never held anything, so it makes way.
 */
async function clearUnfinished(cluster: string, mark: string): Promise<void> {
  if (existsSync(mark)) await rm(cluster, { recursive: true, force: true });
  if (!existsSync(cluster)) await writeFile(mark, 'The first start has not ended.\n');
}

/** Opens the embedded database in a folder, creating it when the folder is empty. */
export async function openEmbedded(folder: string, limits: Limits): Promise<Source> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // PGlite writes its files readable to all: the folder keeps others out, also one that existed before.
  await chmod(folder, 0o700);
  const unlock = await lockFolder(folder);
  const cluster = join(folder, 'cluster');
  const mark = join(folder, 'unfinished');
  try {
    await clearUnfinished(cluster, mark);
    const source = new EmbeddedSource(cluster, limits, unlock);
    await source.opened();
    await rm(mark, { force: true });
    return source;
  } catch (error) {
    await unlock();
    throw error;
  }
}
