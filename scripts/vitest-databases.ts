/** Global setup of Vitest for the tests of the service: PostgreSQL, database templates, and a compile cache. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTemplates } from '../service/testing/templates.ts';
import { startPostgres } from './postgres.ts';

async function startCluster(): Promise<() => Promise<void>> {
  if (process.env['TEST_DATABASE_URL']) return async () => {};
  const started = await startPostgres();
  process.env['TEST_DATABASE_URL'] = started.url;
  return () => started.stop();
}

/** Enables Node's compile cache for the processes that tests start: compiling takes half the time of a short process. */
async function enableCompileCache(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'steward-compiled-'));
  process.env['NODE_COMPILE_CACHE'] = folder;
  // The last of these processes may still be writing.
  return () => rm(folder, { recursive: true, force: true, maxRetries: 20 });
}

export default async function setup(): Promise<() => Promise<void>> {
  const removeCompileCache = await enableCompileCache();
  const withPostgres = process.env['STEWARD_TEST_DATABASES'] !== 'embedded';
  const stopCluster = withPostgres ? await startCluster() : async () => {};
  const removeTemplates = await createTemplates(withPostgres);
  return async () => {
    await removeTemplates();
    await stopCluster();
    await removeCompileCache();
  };
}
