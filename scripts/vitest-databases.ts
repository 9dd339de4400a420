/** Vitest's global set-up: gives the tests of the service a PostgreSQL beside the embedded database, and what they copy. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeTemplates } from '../service/testing/templates.ts';
import { startPostgres } from './postgres.ts';

async function cluster(): Promise<() => Promise<void>> {
  if (process.env['TEST_DATABASE_URL']) return async () => {};
  const started = await startPostgres();
  process.env['TEST_DATABASE_URL'] = started.url;
  return () => started.stop();
}

/** What Node compiles is kept for the processes that tests start: half of the time of a short one goes into that. */
async function keepCompiled(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'steward-compiled-'));
  process.env['NODE_COMPILE_CACHE'] = folder;
  // The last of those processes may be writing at its end.
  return () => rm(folder, { recursive: true, force: true, maxRetries: 20 });
}

export default async function setup(): Promise<() => Promise<void>> {
  const forget = await keepCompiled();
  const withPostgres = process.env['STEWARD_TEST_DATABASES'] !== 'embedded';
  const stop = withPostgres ? await cluster() : async () => {};
  const remove = await makeTemplates(withPostgres);
  return async () => {
    await remove();
    await stop();
    await forget();
  };
}
