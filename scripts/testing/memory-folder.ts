import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

/** File system in memory of Linux. */
const MEMORY = '/dev/shm';
/** All tests together need a fraction of it. */
const MIN_FREE_BYTES = 8 * 1024 ** 3;

function countFreeBytes(): number {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize;
  } catch {
    return 0;
  }
}

/**
 * Makes this process and those it starts keep temporary files in memory until it ends, if TMPDIR is not set and there is room: creating
 * and deleting databases on a disk takes a third of the time of the tests.
 */
export function keepTemporaryFilesInMemory(): void {
  if (process.env['TMPDIR'] !== undefined || countFreeBytes() < MIN_FREE_BYTES) return;
  const folder = mkdtempSync(join(MEMORY, 'steward-'));
  // PostgreSQL may run as another user.
  chmodSync(folder, 0o711);
  process.env['TMPDIR'] = folder;
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
}
