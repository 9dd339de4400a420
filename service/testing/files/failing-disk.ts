/** A disk that fails or is slow, for programs that write to it: a library in front of libc stands for it. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Milliseconds that a slow disk takes to write. */
export const SLOW_MS = 300;

/**
 * fsync and fdatasync fail with EIO while the file DISK_FAILS exists, and once for each file DISK_FAILS_ONCE. They take longer while
 * DISK_IS_SLOW exists, and do not return while DISK_HANGS exists.
 */
const SOURCE = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
static int exists(const char *name) {
  const char *file = getenv(name);
  return file && access(file, F_OK) == 0;
}
static int fails(void) {
  const char *once = getenv("DISK_FAILS_ONCE");
  if (exists("DISK_IS_SLOW")) usleep(${SLOW_MS * 1000});
  while (exists("DISK_HANGS")) usleep(10000);
  return exists("DISK_FAILS") || (once && unlink(once) == 0);
}
static int sync_by(const char *name, int fd) {
  if (fails()) { errno = EIO; return -1; }
  return ((int (*)(int))dlsym(RTLD_NEXT, name))(fd);
}
int fsync(int fd) { return sync_by("fsync", fd); }
int fdatasync(int fd) { return sync_by("fdatasync", fd); }
`;

interface FailingDisk {
  /** Why there is none here. */
  refusal: string | undefined;
  /** Environment of a program that uses the disk. */
  env: Readonly<Record<string, string>>;
  makeFail(): Promise<void>;
  /** The next write fails. */
  failOnce(): Promise<void>;
  /** Whether the write of `failOnce` has failed. */
  hasFailed(): boolean;
  makeSlow(): Promise<void>;
  hang(): Promise<void>;
  repair(): Promise<void>;
  remove(): Promise<void>;
}

export async function createFailingDisk(): Promise<FailingDisk> {
  const folder = await mkdtemp(join(tmpdir(), 'steward-disk-'));
  // PostgreSQL may run as another user, who reads the library and deletes a file.
  await chmod(folder, 0o777);
  const [library, source] = [join(folder, 'disk.so'), join(folder, 'disk.c')];
  const [fails, failsOnce, slow, hangs] = ['fails', 'fails-once', 'slow', 'hangs'].map((name) =>
    join(folder, name),
  ) as [string, string, string, string];
  await writeFile(source, SOURCE);
  const compile = () =>
    promisify(execFile)('cc', ['-shared', '-fPIC', '-o', library, source, '-ldl']).then(
      () => undefined,
      () => 'needs a C compiler',
    );
  return {
    refusal: process.platform === 'linux' ? await compile() : 'needs Linux',
    env: {
      LD_PRELOAD: library,
      DISK_FAILS: fails,
      DISK_FAILS_ONCE: failsOnce,
      DISK_IS_SLOW: slow,
      DISK_HANGS: hangs,
    },
    makeFail: () => writeFile(fails, ''),
    failOnce: () => writeFile(failsOnce, ''),
    hasFailed: () => !existsSync(failsOnce),
    makeSlow: () => writeFile(slow, ''),
    hang: () => writeFile(hangs, ''),
    async repair() {
      await Promise.all([fails, failsOnce, slow, hangs].map((file) => rm(file, { force: true })));
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
