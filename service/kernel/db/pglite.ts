/** The embedded database: PGlite in a worker thread, one connection for the whole process. */
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Line, Source } from './dialect.ts';
import { DbError, faults } from './errors.ts';
import { lockFolder } from './folder-lock.ts';
import type { Limits } from './limits.ts';
import { Session } from './pglite-session.ts';
import { Turns } from './turns.ts';

const upkeepMs = 60_000;
const upkeepLimitMs = 600_000;
/** Written rows after which the tables are vacuumed and their statistics renewed. */
const vacuumAfterRows = 5_000;

class EmbeddedSource implements Source {
  readonly #cluster: string;
  readonly #limits: Limits;
  readonly #turns: Turns;
  readonly #unlock: () => Promise<void>;
  readonly #upkeep: NodeJS.Timeout;
  #session: Session;
  #closing = false;
  #writtenSinceCheckpoint = false;
  #rowsSinceVacuum = 0;

  constructor(cluster: string, limits: Limits, unlock: () => Promise<void>) {
    this.#cluster = cluster;
    this.#limits = limits;
    this.#turns = new Turns(limits.waitMs);
    this.#unlock = unlock;
    this.#session = new Session(cluster);
    this.#upkeep = setInterval(() => void this.#maintain().catch(() => {}), upkeepMs).unref();
  }

  async acquire(): Promise<Line> {
    const release = await this.#turns.take();
    try {
      const session = await this.#live();
      return { run: (sql, parameters) => this.#run(session, sql, parameters), release };
    } catch (error) {
      release();
      throw error;
    }
  }

  async close(): Promise<void> {
    if (this.#closing) return;
    this.#closing = true;
    clearInterval(this.#upkeep);
    try {
      await this.#session.stop();
    } finally {
      await this.#unlock();
    }
  }

  /** The session of this turn: after the watchdog or a crash ended the last one, a new one on the same folder. */
  async #live(): Promise<Session> {
    if (this.#closing) throw new DbError('The database is closed', { code: faults.lost });
    if (this.#session.ended) {
      await this.#session.gone;
      this.#session = new Session(this.#cluster);
    }
    await this.#session.ready;
    return this.#session;
  }

  async #run(session: Session, sql: string, parameters: readonly unknown[]) {
    const reply = await session.run(sql, parameters, this.#limits.statementMs);
    this.#writtenSinceCheckpoint ||= reply.command !== 'SELECT';
    this.#rowsSinceVacuum += reply.affected;
    return reply;
  }

  /**
   * PGlite runs neither autovacuum nor the checkpointer: without this, dead rows and the write-ahead log grow
   * for ever. Only in a free moment, for the requests wait meanwhile.
   */
  async #maintain(): Promise<void> {
    if (!this.#turns.idle || !this.#writtenSinceCheckpoint) return;
    const release = await this.#turns.take();
    try {
      const session = await this.#live();
      if (this.#rowsSinceVacuum >= vacuumAfterRows) {
        await session.run('vacuum (analyze)', [], upkeepLimitMs);
        this.#rowsSinceVacuum = 0;
      }
      await session.run('checkpoint', [], upkeepLimitMs);
      this.#writtenSinceCheckpoint = false;
    } finally {
      release();
    }
  }
}

/**
 * Makes the folder ready for PGlite. A first start that was cut off leaves half a cluster, told by the mark that
 * the first full opening removes: it never held anything, so it makes way.
 */
async function withCluster<T>(folder: string, open: (cluster: string) => Promise<T>): Promise<T> {
  const cluster = join(folder, 'cluster');
  const mark = join(folder, 'unfinished');
  if (existsSync(mark)) await rm(cluster, { recursive: true, force: true });
  if (!existsSync(cluster)) await writeFile(mark, 'The first start has not ended.\n');
  const opened = await open(cluster);
  await rm(mark, { force: true });
  return opened;
}

/** Opens the embedded database in a folder, creating it when the folder is empty. */
export async function openEmbedded(folder: string, limits: Limits): Promise<Source> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // PGlite writes its files readable to all: the folder keeps others out, also one that existed before.
  await chmod(folder, 0o700);
  const unlock = await lockFolder(folder);
  try {
    return await withCluster(folder, async (cluster) => {
      const source = new EmbeddedSource(cluster, limits, unlock);
      (await source.acquire()).release(false);
      return source;
    });
  } catch (error) {
    await unlock();
    throw error;
  }
}
