/**
 * Notices workers of a cluster that do not answer, such as a machine without power or network (docs/scaling.md). The coordinator waits for
 * them as long as a statement may take, so that statements of their sites would soon hold all connections of a process.
 */
import { DISTRIBUTED_TABLES, REFERENCE_TABLES } from '../cluster.ts';
import { type Connection, type ConnectionSource, createBatchConnection, getRunAll } from './dialect.ts';
import { DbError, dbErrorCodes } from './errors.ts';
import type { BatchOutcome, Statement } from './statement-batch.ts';

/** A statement that takes longer makes the watch ask the workers whether they answer. */
const CHECK_AFTER_MS = 500;
/** Time for which statements whose site is not known wait for a worker that does not answer: theirs may be another one. */
const UNKNOWN_SITE_MS = 3_000;
/** Pause between two checks, while statements take long and while workers do not answer. */
const CHECK_INTERVAL_MS = 1_000;

const namesOf = (tables: readonly string[]) => `"?(?:${tables.join('|')})\\b`;
const USE_OF_SITES = new RegExp(
  `(?:\\b(?:from|join|into|update|using|only)\\s+|,\\s*)${namesOf(DISTRIBUTED_TABLES)}`,
  'i',
);
const CHANGE_OF_ALL = new RegExp(
  `\\b(?:insert\\s+into|update|delete\\s+from)\\s+${namesOf(REFERENCE_TABLES)}`,
  'i',
);

const isEnd = ({ sql }: Statement): boolean => sql === 'commit' || sql === 'rollback';

const createLostError = (): DbError =>
  new DbError('The worker of the site does not answer', { code: dbErrorCodes.workerLost });

interface Waiting {
  siteId: number | undefined;
  since: number;
  statements: readonly Statement[];
  /** Whether earlier statements of the transaction use rows of sites. */
  usesSites: boolean;
  give: (outcome: BatchOutcome) => void;
}

/** Watches the workers. `findLostSites` asks all of them and returns the sites of those that do not answer. */
class WorkerWatch {
  readonly #findLostSites: () => Promise<ReadonlySet<number>>;
  readonly #waiting = new Set<Waiting>();
  #lostSites: ReadonlySet<number> = new Set();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(findLostSites: () => Promise<ReadonlySet<number>>) {
    this.#findLostSites = findLostSites;
  }

  /** Whether statements need a worker that is known not to answer. */
  refuses(siteId: number | undefined, statements: readonly Statement[]): boolean {
    if (this.#lostSites.size === 0) return false;
    const isLost = siteId !== undefined && this.#lostSites.has(siteId);
    return statements.some(({ sql }) => CHANGE_OF_ALL.test(sql) || (isLost && USE_OF_SITES.test(sql)));
  }

  /** The outcome of `send`, or a failure as soon as the worker is known not to answer; the outcome is unknown then. */
  async wait(waiting: Omit<Waiting, 'since' | 'give'>, send: () => Promise<BatchOutcome>) {
    const { promise, resolve } = Promise.withResolvers<BatchOutcome>();
    const entry = { ...waiting, since: performance.now(), give: resolve };
    this.#waiting.add(entry);
    this.#schedule(CHECK_AFTER_MS);
    try {
      return await Promise.race([send(), promise]);
    } finally {
      this.#waiting.delete(entry);
    }
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #schedule(delayMs: number): void {
    if (this.#timer || this.#isClosed) return;
    this.#timer = setTimeout(() => void this.#check(), delayMs).unref();
  }

  async #check(): Promise<void> {
    const [oldest] = this.#waiting;
    const isDue = this.#lostSites.size > 0 || (oldest && performance.now() - oldest.since >= CHECK_AFTER_MS);
    // A coordinator that does not answer is noticed by the watch of the server.
    if (isDue) this.#lostSites = await this.#findLostSites().catch(() => this.#lostSites);
    for (const waiting of this.#waiting)
      if (this.#isLost(waiting))
        waiting.give({ results: [], failure: { error: createLostError(), isReported: false } });
    this.#timer = undefined;
    if (this.#lostSites.size > 0 || isDue) this.#schedule(CHECK_INTERVAL_MS);
    else if (this.#waiting.size > 0) this.#schedule(CHECK_AFTER_MS);
  }

  #isLost({ siteId, since, statements, usesSites }: Waiting): boolean {
    if (this.#lostSites.size === 0) return false;
    if (this.refuses(siteId, statements)) return true;
    const mayBeLost =
      siteId === undefined
        ? performance.now() - since >= UNKNOWN_SITE_MS
        : usesSites && this.#lostSites.has(siteId);
    return mayBeLost && (usesSites || statements.some(({ sql }) => USE_OF_SITES.test(sql)));
  }
}

/**
 * The same source whose statements fail (57U04) as soon as the worker that they need is known not to answer, and at once while it does not.
 * `forSite` returns it for work of one site. Closing it closes the source.
 */
export function watchWorkers(
  source: ConnectionSource,
  findLostSites: () => Promise<ReadonlySet<number>>,
): ConnectionSource {
  const watch = new WorkerWatch(findLostSites);
  const create = (siteId: number | undefined): ConnectionSource => ({
    acquire: async () => watchConnection(await source.acquire(), watch, siteId),
    forSite: create,
    async close() {
      watch.close();
      await source.close();
    },
  });
  return create(undefined);
}

function watchConnection(connection: Connection, watch: WorkerWatch, siteId: number | undefined): Connection {
  const run = getRunAll(connection);
  let usesSites = false;
  let isLost = false;
  return createBatchConnection(
    async (statements, signal) => {
      if (isLost || watch.refuses(siteId, statements))
        return { results: [], failure: { error: createLostError(), isReported: true } };
      const outcome = await watch.wait({ siteId, statements, usesSites }, () => run(statements, signal));
      isLost =
        outcome.failure?.error instanceof DbError && outcome.failure.error.code === dbErrorCodes.workerLost;
      const last = statements.at(-1);
      usesSites =
        last === undefined || !isEnd(last)
          ? usesSites || statements.some(({ sql }) => USE_OF_SITES.test(sql))
          : false;
      return outcome;
    },
    // The answer of a statement that was given up may still arrive.
    (discard) => connection.release(discard || isLost),
  );
}
