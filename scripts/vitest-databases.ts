/** Vitest's global set-up: gives the tests of the service a PostgreSQL beside the embedded database, and what they copy. */
import { makeTemplates } from '../service/testing/templates.ts';
import { startPostgres } from './postgres.ts';

async function cluster(): Promise<() => Promise<void>> {
  if (process.env['TEST_DATABASE_URL']) return async () => {};
  const started = await startPostgres();
  process.env['TEST_DATABASE_URL'] = started.url;
  return () => started.stop();
}

export default async function setup(): Promise<() => Promise<void>> {
  const withPostgres = process.env['STEWARD_TEST_DATABASES'] !== 'embedded';
  const stop = withPostgres ? await cluster() : async () => {};
  const remove = await makeTemplates(withPostgres);
  return async () => {
    await remove();
    await stop();
  };
}
