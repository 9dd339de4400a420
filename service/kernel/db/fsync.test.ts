/** The embedded database with EMBEDDED_FSYNC=on, on a disk that fails or is slow. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../../testing/databases.ts';
import { createFailingDisk, SLOW_MS } from '../../testing/files/failing-disk.ts';
import { openDatabase } from './database.ts';

const PROCESS = fileURLToPath(new URL('../../testing/processes/fsync-process.ts', import.meta.url));
const disk = await createFailingDisk();

/** Starts the process behind the library; `insert` returns the outcome and the longest gap of the event loop in milliseconds. */
async function startProcess(dataDir: string) {
  const child = spawn(process.execPath, [PROCESS, dataDir], {
    env: { ...process.env, ...disk.env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const read = async () => String((await lines.next()).value);
  expect(await read()).toBe('ready');
  return {
    async insert(slug: string) {
      child.stdin.write(`${slug}\n`);
      const [outcome, gap] = (await read()).split(' ');
      return { outcome, gapMs: Number(gap) };
    },
    async kill() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

test.skipIf(disk.refusal !== undefined)(
  `a commit waits for the disk; when the disk fails it is refused, and nothing acknowledged is lost${disk.refusal ? ` (skipped: ${disk.refusal})` : ''}`,
  async () => {
    const place = await createTestDatabase('embedded');
    const service = await startProcess(place.dataDir);
    expect(await service.insert('acknowledged')).toMatchObject({ outcome: 'stored' });

    await disk.makeSlow();
    const startedAt = performance.now();
    const { outcome, gapMs } = await service.insert('slow');
    expect(outcome).toBe('stored');
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(SLOW_MS);
    expect(gapMs, 'the event loop does not wait for the disk').toBeLessThan(SLOW_MS);
    await disk.repair();

    await disk.makeFail();
    // Whether it is stored is unknown: the log was written, but not to the disk.
    expect(await service.insert('unknown')).toMatchObject({ outcome: '08006' });
    await disk.repair();
    expect(await service.insert('afterwards')).toMatchObject({ outcome: 'stored' });
    await service.kill();

    const { db, close } = await openDatabase(place);
    const stored = (await db.selectFrom('site').select('slug').execute()).map(({ slug }) => slug);
    expect(stored).toEqual(expect.arrayContaining(['acknowledged', 'slow', 'afterwards']));
    await close();
    await place.remove();
    await disk.remove();
  },
);
