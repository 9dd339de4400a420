/** The embedded database with EMBEDDED_FSYNC=on, on a disk that fails or is slow: a library in front of libc stands for it. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../../testing/databases.ts';
import { openDatabase } from './database.ts';

const PROCESS = fileURLToPath(new URL('../../testing/processes/fsync-process.ts', import.meta.url));
const SLOW_MS = 300;

/** fsync fails with EIO while the file FSYNC_FAILS exists, and takes longer while FSYNC_IS_SLOW exists. */
const DISK_SOURCE = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
int fsync(int fd) {
  const char *fails = getenv("FSYNC_FAILS"), *slow = getenv("FSYNC_IS_SLOW");
  if (slow && access(slow, F_OK) == 0) usleep(${SLOW_MS * 1000});
  if (fails && access(fails, F_OK) == 0) { errno = EIO; return -1; }
  return ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(fd);
}
`;

const folder = await mkdtemp(join(tmpdir(), 'steward-fsync-'));
const library = join(folder, 'disk.so');
await writeFile(join(folder, 'disk.c'), DISK_SOURCE);
/** Why the library cannot be used here. */
const refusal =
  process.platform === 'linux'
    ? await promisify(execFile)('cc', [
        '-shared',
        '-fPIC',
        '-o',
        library,
        join(folder, 'disk.c'),
        '-ldl',
      ]).then(
        () => undefined,
        () => 'needs a C compiler',
      )
    : 'needs Linux';

/** Starts the process behind the library; `insert` returns the outcome and the longest gap of the event loop in milliseconds. */
async function startProcess(dataDir: string) {
  const [fails, slow] = [join(folder, 'fails'), join(folder, 'slow')];
  const child = spawn(process.execPath, [PROCESS, dataDir], {
    env: { ...process.env, LD_PRELOAD: library, FSYNC_FAILS: fails, FSYNC_IS_SLOW: slow },
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
    makeFail: () => writeFile(fails, ''),
    makeSlow: () => writeFile(slow, ''),
    repair: () => Promise.all([fails, slow].map((file) => rm(file, { force: true }))),
    async kill() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

test.skipIf(refusal !== undefined)(
  `a commit waits for the disk; when the disk fails it is refused, and nothing acknowledged is lost${refusal ? ` (skipped: ${refusal})` : ''}`,
  async () => {
    const place = await createTestDatabase('embedded');
    const service = await startProcess(place.dataDir);
    expect(await service.insert('acknowledged')).toMatchObject({ outcome: 'stored' });

    await service.makeSlow();
    const startedAt = performance.now();
    const { outcome, gapMs } = await service.insert('slow');
    expect(outcome).toBe('stored');
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(SLOW_MS);
    expect(gapMs, 'the event loop does not wait for the disk').toBeLessThan(SLOW_MS);
    await service.repair();

    await service.makeFail();
    // Whether it is stored is unknown: the log was written, but not to the disk.
    expect(await service.insert('unknown')).toMatchObject({ outcome: '08006' });
    await service.repair();
    expect(await service.insert('afterwards')).toMatchObject({ outcome: 'stored' });
    await service.kill();

    const { db, close } = await openDatabase(place);
    const stored = (await db.selectFrom('site').select('slug').execute()).map(({ slug }) => slug);
    expect(stored).toEqual(expect.arrayContaining(['acknowledged', 'slow', 'afterwards']));
    await close();
    await place.remove();
    await rm(folder, { recursive: true, force: true });
  },
);
