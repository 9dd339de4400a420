/** The PostgreSQL cluster of the tests (TEST_DATABASE_URL); with Citus it is the coordinator, and TEST_WORKER_URLS are the workers. */
import { sql } from 'kysely';
import { runStatement } from '../../../scripts/testing/postgres.ts';
import type { Db } from '../../kernel/db/database.ts';

/** URL of the superuser's database. */
function getClusterUrl(): URL {
  const url = process.env.TEST_DATABASE_URL;
  if (!url) {
    throw new Error(
      'These tests need PostgreSQL: set TEST_DATABASE_URL to a superuser of an empty cluster (scripts/testing/postgres.ts ' +
        'starts one), or STEWARD_TEST_DATABASES=embedded to test without PostgreSQL.',
    );
  }
  return new URL(url);
}

/** URL of a database of the cluster. */
export function getDatabaseUrl(name: string): string {
  const url = getClusterUrl();
  url.pathname = `/${name}`;
  return url.href;
}

/** URLs of the superuser's database on the workers, if the cluster has any. */
const getWorkerUrls = (): readonly string[] =>
  (process.env['TEST_WORKER_URLS'] ?? '').split(',').filter((url) => url !== '');

/** URLs of a database of this name on each server, that of `getDatabaseUrl` first. */
export const listDatabaseUrls = (name: string): string[] =>
  [getClusterUrl().href, ...getWorkerUrls()].map((url) => new URL(`/${name}`, url).href);

/** Runs a statement on the superuser's database, such as `alter database`. */
export const runOnCluster = (statement: string): Promise<void> =>
  runStatement(getClusterUrl().href, statement);

/** Runs a statement on the superuser's database of each server, such as `create database`: the coordinator first, which connects to the workers. */
export async function runOnEachServer(statement: string): Promise<void> {
  for (const url of [getClusterUrl().href, ...getWorkerUrls()]) await runStatement(url, statement);
}

const DROP_TIMEOUT_MS = 30_000;

/** Drops a database on each server; again for a while, because the process that Citus has in each database may have just started again. */
export async function dropDatabase(name: string): Promise<void> {
  const deadline = Date.now() + DROP_TIMEOUT_MS;
  for (;;)
    try {
      await runOnEachServer(`drop database if exists ${name} with (force)`);
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
}

/** Ends all connections of a PostgreSQL database, like a restart. When it returns, the server has closed them. */
export async function endConnections(db: Db): Promise<void> {
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db);
  const databaseName = rows[0]?.name ?? '';
  // All at once: while the first would be waited for, the others could work.
  await runOnCluster(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${databaseName}'`,
  );
  await runOnCluster(
    `select pg_terminate_backend(pid, 20000) from pg_stat_activity where datname = '${databaseName}'`,
  );
}
