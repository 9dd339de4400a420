/**
 * Notices workers of a cluster that do not answer, such as a machine without power or network (docs/decisions/0101). The coordinator waits
 * for them as long as a statement may take, so that statements of their sites would soon hold all connections of a process.
 */
import { CHANGE_OF_ACCOUNTS, type LostWorkers, USE_OF_NEW_SITE, USE_OF_SITE_ROWS } from '../cluster.ts';
import { type Connection, type ConnectionSource, createBatchConnection, getRunAll } from './dialect.ts';
import { DbError, dbErrorCodes, isWorkerLost } from './errors.ts';
import { type BatchOutcome, isEnd, isStart, type Statement } from './statement-batch.ts';

/** Time after which a statement that needs workers makes the watch ask them whether they answer. */
const CHECK_AFTER_MS = 500;
/** Pause between two checks, while statements take long and while workers do not answer. */
const CHECK_INTERVAL_MS = 1_000;
/** Time that statements of an unknown site wait while a worker does not answer: their rows may be on another one. */
const UNKNOWN_SITE_TIMEOUT_MS = 3_000;

/** Servers that a statement needs: that of its site, that of a site that is not known, or all of them. */
type Need = 'site' | 'unknown site' | 'all';

/** Texts whose need is remembered. */
const MAX_EXAMINED_TEXTS = 500;
const needs = new Map<string, Need | undefined>();

function findNeed({ sql }: Statement): Need | undefined {
  if (needs.has(sql)) return needs.get(sql);
  let need: Need | undefined;
  if (CHANGE_OF_ACCOUNTS.test(sql)) need = 'all';
  else if (USE_OF_NEW_SITE.test(sql)) need = 'unknown site';
  else if (USE_OF_SITE_ROWS.test(sql)) need = 'site';
  if (needs.size >= MAX_EXAMINED_TEXTS) needs.clear();
  needs.set(sql, need);
  return need;
}

const findNeeds = (statements: readonly Statement[]): Set<Need> =>
  new Set(statements.flatMap((statement) => findNeed(statement) ?? []));

const createLostError = (): DbError =>
  new DbError('The worker of the site does not answer', { code: dbErrorCodes.workerLost });

/** Statements that were sent and are not answered. */
interface PendingBatch {
  siteId: number | undefined;
  /** Needs of the statements, and of those before them in their transaction. */
  needs: ReadonlySet<Need>;
  since: number;
  resolve: (outcome: BatchOutcome) => void;
}

/** Watches the workers. `findLostWorkers` asks all of them. */
class WorkerWatch {
  readonly #findLostWorkers: () => Promise<LostWorkers>;
  readonly #pending = new Set<PendingBatch>();
  #lost: LostWorkers = { count: 0, siteIds: new Set() };
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(findLostWorkers: () => Promise<LostWorkers>) {
    this.#findLostWorkers = findLostWorkers;
  }

  /** Whether a worker that is needed is known not to answer. */
  isLost(siteId: number | undefined, needed: ReadonlySet<Need>): boolean {
    if (this.#lost.count === 0) return false;
    return (
      needed.has('all') || (needed.has('site') && siteId !== undefined && this.#lost.siteIds.has(siteId))
    );
  }

  /** Settles like `send`, or with a failure as soon as a worker that is needed is known not to answer; the statements may run then. */
  async wait(
    batch: Pick<PendingBatch, 'siteId' | 'needs'>,
    send: () => Promise<BatchOutcome>,
  ): Promise<BatchOutcome> {
    if (batch.needs.size === 0) return send();
    const { promise, resolve } = Promise.withResolvers<BatchOutcome>();
    const entry = { ...batch, since: performance.now(), resolve };
    this.#pending.add(entry);
    this.#schedule(CHECK_AFTER_MS);
    try {
      return await Promise.race([send(), promise]);
    } finally {
      this.#pending.delete(entry);
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
    const [oldest] = this.#pending;
    const isDue = this.#lost.count > 0 || (oldest && performance.now() - oldest.since >= CHECK_AFTER_MS);
    // A coordinator that does not answer is noticed by the watch of the server.
    if (isDue) this.#lost = await this.#findLostWorkers().catch(() => this.#lost);
    for (const batch of this.#pending)
      if (this.#isGivenUp(batch))
        batch.resolve({ results: [], failure: { error: createLostError(), isReported: false } });
    this.#timer = undefined;
    if (isDue && (this.#lost.count > 0 || this.#pending.size > 0)) this.#schedule(CHECK_INTERVAL_MS);
    else if (this.#pending.size > 0) this.#schedule(CHECK_AFTER_MS);
  }

  #isGivenUp({ siteId, needs: needed, since }: PendingBatch): boolean {
    if (this.isLost(siteId, needed)) return true;
    const isUnknown = needed.has('unknown site') || (needed.has('site') && siteId === undefined);
    return this.#lost.count > 0 && isUnknown && performance.now() - since >= UNKNOWN_SITE_TIMEOUT_MS;
  }
}

/**
 * The same source whose statements fail (57U04) as soon as a worker that they need is known not to answer, and at once while it does not.
 * `forSite` returns it for work of one site.
 */
export function watchWorkers(
  source: ConnectionSource,
  findLostWorkers: () => Promise<LostWorkers>,
): ConnectionSource {
  const watch = new WorkerWatch(findLostWorkers);
  const create = (siteId: number | undefined): ConnectionSource => ({
    ...source,
    acquire: async () => watchConnection(await source.acquire(), watch, siteId),
    forSite: create,
    async close() {
      // Statements that wait for a worker are given up meanwhile.
      await source.close();
      watch.close();
    },
  });
  return create(undefined);
}

function watchConnection(connection: Connection, watch: WorkerWatch, siteId: number | undefined): Connection {
  const run = getRunAll(connection);
  let isInTransaction = false;
  let needsOfTransaction: ReadonlySet<Need> = new Set();
  let isLost = false;
  return createBatchConnection(
    async (statements, signal) => {
      const own = findNeeds(statements);
      if (isLost || watch.isLost(siteId, own))
        return { results: [], failure: { error: createLostError(), isReported: true } };
      const needed = own.union(needsOfTransaction);
      for (const statement of statements)
        if (isStart(statement)) isInTransaction = true;
        else if (isEnd(statement)) isInTransaction = false;
      needsOfTransaction = isInTransaction ? needed : new Set();
      const outcome = await watch.wait({ siteId, needs: needed }, () => run(statements, signal));
      // The session goes on after an error that the coordinator reports.
      isLost = outcome.failure?.isReported === false && isWorkerLost(outcome.failure.error);
      return outcome;
    },
    // The answer to statements that were given up may still arrive.
    (discard) => connection.release(discard || isLost),
  );
}
