/** Which database the next service of a benchmark is on. */
import { startPostgres } from '../scripts/postgres.ts';

/** What somebody sets who has millions of rows; the defaults of PostgreSQL are for a machine of 1 GB. */
const SETTINGS = ['shared_buffers=2GB', 'max_wal_size=8GB'];

/** The services made from now on are on this database; without TEST_DATABASE_URL on a cluster of our own. */
export async function chooseDatabase(kind: 'embedded' | 'postgres'): Promise<void> {
  process.env['STEWARD_E2E_DATABASE'] = kind;
  if (kind === 'postgres') process.env['TEST_DATABASE_URL'] ??= (await startPostgres(SETTINGS)).url;
}
