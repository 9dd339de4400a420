/** The PostgreSQL cluster that is given to the tests. */
import { Client } from 'pg';

/** The address of the superuser's database. */
function clusterUrl(): URL {
  const given = process.env.TEST_DATABASE_URL;
  if (!given) {
    throw new Error(
      'These tests need PostgreSQL: set TEST_DATABASE_URL to a superuser of an empty cluster (scripts/postgres.ts ' +
        'starts one), or STEWARD_TEST_DATABASES=embedded to leave PostgreSQL out.',
    );
  }
  return new URL(given);
}

/** The address of one of its databases. */
export function databaseUrl(name: string): string {
  const url = clusterUrl();
  url.pathname = `/${name}`;
  return url.href;
}

/** Runs a statement that belongs to no database, such as the making of one. */
export async function onCluster(statement: string): Promise<void> {
  const client = new Client({ connectionString: clusterUrl().href });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
