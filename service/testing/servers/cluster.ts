/** The PostgreSQL cluster of the tests (TEST_DATABASE_URL). */
import { sql } from 'kysely';
import { Client } from 'pg';
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

/** Runs a statement on the superuser's database, such as `create database`. */
export async function runOnCluster(statement: string): Promise<void> {
  const client = new Client({ connectionString: getClusterUrl().href });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
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
