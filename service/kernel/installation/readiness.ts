import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { retryLater } from '../api-error.ts';
import type { Database } from '../db/database.ts';
import { explainIncompatibility, readMigrationState } from '../db/migrate.ts';
import type { FilePlace } from '../files/file-folder.ts';
import { explainUnusableFiles } from '../files/shared-store-check.ts';

/** Time for which the checks of files and migrations hold: probes come every few seconds, from several load balancers. */
const CHECK_INTERVAL_MS = 2_000;
const RETRY_SECONDS = 2;
/** Wait of a probe for a connection and an answer, before it asks whether the server answers at all. */
const SLOW_MS = 1_000;

/** Why the process cannot serve requests although the database answers; undefined if it can. */
export async function explainUnreadiness(
  { db, kind }: Database,
  place: FilePlace,
): Promise<string | undefined> {
  const state = await readMigrationState(db);
  if (state.pending.length > 0)
    return `The database lacks migrations of this version (${state.pending.map(({ name }) => name).join(', ')}): restart the service`;
  const reason = explainIncompatibility(state);
  if (reason !== undefined) return reason;
  return explainUnusableFiles(db, place, kind === 'postgres');
}

/**
 * Asks the database whether it accepts writes. A server that is slow, or whose connections are all in use, is not down: a load balancer
 * that took all processes away would make an overload an outage. @throws DbError
 */
async function pingDatabase({ ping, probe }: Database): Promise<'ok' | 'slow'> {
  const answered = ping().then(() => 'ok' as const);
  if (!probe) return answered;
  const outcome = await Promise.race([answered, sleep(SLOW_MS, 'slow' as const, { ref: false })]);
  if (outcome === 'slow') await probe();
  return outcome;
}

/**
 * Adds `/livez` (the process answers; `/healthz` is its earlier name) and `/readyz`: the database answers and accepts writes, has the
 * migrations of this version, files can be stored where other processes find them, and the service is not stopping.
 */
export function registerProbes(
  app: FastifyInstance,
  { database, place }: { database: Database; place: FilePlace },
): void {
  let checkedAt = -Infinity;
  let outcome: Promise<string | undefined> = Promise.resolve(undefined);
  const check = (): Promise<string | undefined> => {
    if (performance.now() - checkedAt < CHECK_INTERVAL_MS) return outcome;
    checkedAt = performance.now();
    outcome = explainUnreadiness(database, place);
    // A failure is not kept: the next probe finds out whether the database answers again.
    outcome.catch(() => (checkedAt = -Infinity));
    return outcome;
  };
  for (const url of ['/livez', '/healthz']) app.get(url, async () => ({ status: 'ok' }));
  app.get('/readyz', async () => {
    if (app.drain.isDraining) throw retryLater(503, 'The service is stopping', 1);
    // The other checks need the database as well.
    if ((await pingDatabase(database)) === 'slow') return { status: 'ok', database: 'slow' };
    const reason = await check();
    if (reason !== undefined) throw retryLater(503, reason, RETRY_SECONDS);
    return { status: 'ok' };
  });
}
