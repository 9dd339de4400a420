import { chmod, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../testing/databases.ts';
import { startWriter } from '../../../testing/processes/writer-process.ts';
import { openDatabase } from '../database.ts';
import { lockFolder } from './folder-lock.ts';

let testDatabase: TestDatabase;
let folder: string;
beforeAll(async () => {
  testDatabase = await createTestDatabase('embedded');
  folder = testDatabase.dataDir;
});
afterAll(() => testDatabase.remove());

describe.each(['linux', 'darwin'] as const)('the lock on %s', (system) => {
  test.runIf(system === 'darwin' || process.platform === 'linux')('has one holder at a time', async () => {
    const release = await lockFolder(folder, system);
    await expect(lockFolder(folder, system)).rejects.toThrow(/Another process is using the data folder/);
    await release();
    await (
      await lockFolder(folder, system)
    )();
  });
});

test('the folder is private and locked until its process is killed', async () => {
  await chmod(join(folder, 'db'), 0o755);
  const writer = await startWriter(testDatabase);
  expect((await stat(join(folder, 'db'))).mode & 0o777).toBe(0o700);
  await expect(openDatabase(testDatabase)).rejects.toThrow(/Another process is using/);
  await writer.kill();
  // The killed process leaves a socket file behind, which the file lock alone must recognize as stale.
  await (
    await lockFolder(join(folder, 'db'), 'darwin')
  )();
  const { close } = await openDatabase(testDatabase);
  await close();
});
