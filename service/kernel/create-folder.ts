import { existsSync } from 'node:fs';
import { lstat, mkdir, mkdtemp, rmdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { getErrorCode } from './error-code.ts';

/**
 * Creates a folder of the service and its missing parents, accessible only to its owner. The recursive `mkdir` of Node never ends where a
 * folder cannot be created although its parent exists, as below /proc.
 * @throws Error of the system when the folder cannot be created
 */
export async function createFolder(folder: string): Promise<void> {
  const path = resolve(folder);
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    const code = getErrorCode(error);
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return;
    if (code !== 'ENOENT' || existsSync(dirname(path))) throw error;
    await createFolder(dirname(path));
    await createFolder(path);
  }
}

/** True for a path that exists, also as a link that leads nowhere. */
const isTaken = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    (error: unknown) => getErrorCode(error) !== 'ENOENT' && getErrorCode(error) !== 'ENOTDIR',
  );

/**
 * Tries whether `createFolder` can create a missing folder: by another one in its nearest parent that exists, which is removed at once.
 * Permissions alone do not tell, as below /proc. @returns that parent and the code of the error; undefined if the folder can be created
 */
export async function tryToCreate(folder: string): Promise<{ parent: string; code: string } | undefined> {
  let parent = resolve(folder);
  while (!(await isTaken(parent))) parent = dirname(parent);
  try {
    await rmdir(await mkdtemp(join(parent, '.steward-doctor-')));
    return undefined;
  } catch (error) {
    return { parent, code: getErrorCode(error) ?? String(error) };
  }
}
