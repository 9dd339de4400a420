import { chmod, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newPlace, type Place } from '../../testing/databases.ts';
import { startWriter } from '../../testing/writer.ts';
import { openDatabase } from './database.ts';
import { lockFolder } from './folder-lock.ts';

let place: Place;
let folder: string;
beforeAll(async () => {
  place = await newPlace('embedded');
  folder = place.dataDir;
});
afterAll(() => place.remove());

describe.each(['linux', 'darwin'] as const)('the lock as on %s', (system) => {
  test.runIf(system === 'darwin' || process.platform === 'linux')('admits one at a time', async () => {
    const release = await lockFolder(folder, system);
    await expect(lockFolder(folder, system)).rejects.toThrow(/Another process is using the data folder/);
    await release();
    await (
      await lockFolder(folder, system)
    )();
  });
});

test('the open folder is closed to others, and to a second process until the first one is killed', async () => {
  await chmod(join(folder, 'db'), 0o755);
  const writer = await startWriter(place);
  expect((await stat(join(folder, 'db'))).mode & 0o777).toBe(0o700);
  await expect(openDatabase(place)).rejects.toThrow(/Another process is using/);
  await writer.kill();
  // The dead process left its socket file behind; the portable guard alone must see through that too.
  await (
    await lockFolder(join(folder, 'db'), 'darwin')
  )();
  const { close } = await openDatabase(place);
  await close();
});
