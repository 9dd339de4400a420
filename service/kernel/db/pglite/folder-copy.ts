import { constants } from 'node:fs';
import { copyFile, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { getErrorCode } from '../../error-code.ts';

/** The clock of file systems advances in steps: a file that was changed just before it was read may change again without a new time. */
const CLOCK_STEP_MS = 1_000;

interface CopiedFile {
  size: number;
  changedAtMs: number;
  readAtMs: number;
}

const isMissing = (error: unknown): boolean => getErrorCode(error) === 'ENOENT';

/** Copies a folder in passes: each copies the files that have changed since the one before, and deletes those that are gone. */
export function createFolderCopy(source: string, target: string): { copyChanged: () => Promise<number> } {
  const copied = new Map<string, CopiedFile>();

  async function copyIfChanged(path: string): Promise<boolean> {
    const readAtMs = Date.now();
    const { size, mtimeMs: changedAtMs } = await stat(join(source, path));
    const last = copied.get(path);
    const isSame =
      last?.size === size &&
      last.changedAtMs === changedAtMs &&
      last.changedAtMs < last.readAtMs - CLOCK_STEP_MS;
    if (isSame) return false;
    await mkdir(dirname(join(target, path)), { recursive: true, mode: 0o700 });
    await copyFile(join(source, path), join(target, path), constants.COPYFILE_FICLONE);
    copied.set(path, { size, changedAtMs, readAtMs });
    return true;
  }

  return {
    /** @returns the number of files that were copied */
    async copyChanged() {
      let count = 0;
      const found = new Set<string>();
      const entries = await readdir(source, { recursive: true, withFileTypes: true });
      for (const entry of entries) {
        const path = join(entry.parentPath, entry.name).slice(source.length + 1);
        if (entry.isDirectory()) await mkdir(join(target, path), { recursive: true, mode: 0o700 });
        if (!entry.isFile()) continue;
        try {
          if (await copyIfChanged(path)) count += 1;
          found.add(path);
        } catch (error) {
          // Deleted since it was listed.
          if (!isMissing(error)) throw error;
        }
      }
      for (const path of copied.keys())
        if (!found.has(path)) {
          await rm(join(target, path), { force: true });
          copied.delete(path);
        }
      return count;
    },
  };
}
