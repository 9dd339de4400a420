/** Vitest's global set-up: gives the tests of the service a PostgreSQL beside the embedded database. */
import { startPostgres } from './postgres.ts';

export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env['TEST_DATABASE_URL'] || process.env['STEWARD_TEST_DATABASES'] === 'embedded')
    return undefined;
  const cluster = await startPostgres();
  process.env['TEST_DATABASE_URL'] = cluster.url;
  return () => cluster.stop();
}
