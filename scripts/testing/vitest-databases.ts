/** Global setup of Vitest for the tests of the service: PostgreSQL or a cluster with Citus, database templates, and a compile cache. */
import { isOnCitus, startTestServers } from '../../service/testing/servers/citus.ts';
import { createTemplates } from '../../service/testing/templates.ts';
import { startPostgres } from './postgres.ts';
import prepareProcesses from './prepare-processes.ts';

async function startCluster(): Promise<() => Promise<void>> {
  if (isOnCitus) return startTestServers();
  if (process.env['TEST_DATABASE_URL']) return async () => {};
  const started = await startPostgres();
  process.env['TEST_DATABASE_URL'] = started.url;
  return () => started.stop();
}

export default async function setup(): Promise<() => Promise<void>> {
  const removeCompileCache = await prepareProcesses();
  const withPostgres = process.env['STEWARD_TEST_DATABASES'] !== 'embedded';
  const stopCluster = withPostgres ? await startCluster() : async () => {};
  const removeTemplates = await createTemplates(withPostgres);
  return async () => {
    await removeTemplates();
    await stopCluster();
    await removeCompileCache();
  };
}
