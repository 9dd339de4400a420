/** Global setup of Playwright: a compile cache for the processes of the tests, and the servers of a cluster for STEWARD_TEST_CITUS=1. */
import { isOnCitus, startTestServers } from '../../service/testing/servers/citus.ts';
import prepareProcesses from './prepare-processes.ts';

export default async function setup(): Promise<() => Promise<void>> {
  const removeCompileCache = await prepareProcesses();
  const stopServers = isOnCitus ? await startTestServers() : async () => {};
  return async () => {
    await stopServers();
    await removeCompileCache();
  };
}
