import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keepTemporaryFilesInMemory } from './memory-folder.ts';

/**
 * Sets up the processes that tests start: temporary files in memory, and Node's compile cache, since compiling takes half the time of a
 * short process.
 * @returns a function that removes the cache
 */
export default async function prepareProcesses(): Promise<() => Promise<void>> {
  keepTemporaryFilesInMemory();
  const folder = await mkdtemp(join(tmpdir(), 'steward-compiled-'));
  process.env['NODE_COMPILE_CACHE'] = folder;
  // The last of these processes may still be writing.
  return () => rm(folder, { recursive: true, force: true, maxRetries: 20 });
}
