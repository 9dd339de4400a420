import { existsSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
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
