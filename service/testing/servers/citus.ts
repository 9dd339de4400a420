/** A coordinator and two workers with the Citus extension (docs/scaling.md), on which tests run with STEWARD_TEST_CITUS=1. */
import {
  type Cluster,
  findCitusPrograms,
  runStatement,
  startPostgres,
} from '../../../scripts/testing/postgres.ts';
import { initCluster } from '../../kernel/db/cluster.ts';
import { openDatabase } from '../../kernel/db/database.ts';

const SETTINGS = [
  'shared_preload_libraries=citus',
  'wal_level=logical',
  'max_prepared_transactions=50',
  // Each database has a process of Citus on each server.
  'max_worker_processes=64',
  'citus.shard_count=4',
  'citus.node_conninfo=sslmode=disable',
  // PostgreSQL 15.20 and later load only the named output plugins for roles that replicate.
  'output_plugin_libraries=citus,citus_pgoutput,pgoutput',
];

/** Whether the tests on PostgreSQL run on a cluster with Citus. */
export const isOnCitus = process.env['STEWARD_TEST_CITUS'] === '1';

/** Starts three servers, the coordinator first, that do not know each other yet. `settings` are added. @throws Error without Citus */
export async function startCitusServers(settings: readonly string[] = []): Promise<Cluster[]> {
  const programs = findCitusPrograms();
  if (programs === undefined)
    throw new Error(
      'The tests on a cluster need Citus 13 for PostgreSQL: install it, or set CITUS_PROGRAMS to the folder of the programs of a PostgreSQL ' +
        'that has it.',
    );
  return Promise.all(Array.from({ length: 3 }, () => startPostgres([...SETTINGS, ...settings], programs)));
}

/** Starts the servers of the tests, whose URLs are TEST_DATABASE_URL and TEST_WORKER_URLS from then on; the returned function stops them. */
export async function startTestServers(): Promise<() => Promise<void>> {
  const servers = await startCitusServers();
  const [coordinator = '', ...workers] = servers.map(({ url }) => url);
  process.env['TEST_DATABASE_URL'] = coordinator;
  process.env['TEST_WORKER_URLS'] = workers.join(',');
  return async () => {
    await Promise.all(servers.map((server) => server.stop()));
  };
}

/** Creates an empty database of one name on each server. Returns its URLs, that of the coordinator first. */
export async function createOnEachServer(servers: readonly Cluster[]): Promise<string[]> {
  for (const { url } of servers) await runStatement(url, 'create database steward');
  return servers.map(({ url }) => new URL('/steward', url).href);
}

/** Creates the extensions in databases of the same name on each server. */
export async function createCitusExtensions(urls: readonly string[]): Promise<void> {
  for (const url of urls)
    for (const extension of ['citus', 'pg_trgm', 'btree_gin'])
      await runStatement(url, `create extension if not exists ${extension}`);
}

/** Creates, migrates and distributes the tables of a database that exists on each server. */
export async function distributeDatabase(urls: readonly string[], dataDir: string): Promise<void> {
  await createCitusExtensions(urls);
  await addWorkers(urls);
  const { db, close } = await openDatabase({ databaseUrl: urls[0], dataDir, limits: { statementMs: 0 } });
  await initCluster(db);
  await close();
}

/** Makes the coordinator know the workers in databases of the same name. */
export async function addWorkers([coordinator = '', ...workers]: readonly string[]): Promise<void> {
  await runStatement(
    coordinator,
    `select citus_set_coordinator_host('127.0.0.1', ${new URL(coordinator).port})`,
  );
  for (const worker of workers)
    await runStatement(coordinator, `select citus_add_node('127.0.0.1', ${new URL(worker).port})`);
}
