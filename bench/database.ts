/** The database of the services that benchmarks start. */
import { startPostgres } from '../scripts/testing/postgres.ts';

/** Usual settings for millions of rows; the defaults of PostgreSQL are meant for a machine with 1 GB of memory. */
const SETTINGS = ['shared_buffers=2GB', 'max_wal_size=8GB'];

/** Selects the database of services created from now on; starts a cluster if TEST_DATABASE_URL is not set. */
export async function chooseDatabase(kind: 'embedded' | 'postgres'): Promise<void> {
  process.env['STEWARD_E2E_DATABASE'] = kind;
  if (kind === 'postgres') process.env['TEST_DATABASE_URL'] ??= (await startPostgres(SETTINGS)).url;
}
