/** The folder of verified copies of the embedded database, which are named by their time. */
import { readdir, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { getErrorCode } from '../../error-code.ts';

const NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ$/;

export const formatCopyName = (time: Date): string =>
  time.toISOString().replace(/\.\d+/, '').replaceAll(':', '-');
const parseName = (name: string): Date => new Date(name.replace(/T(\d\d)-(\d\d)-(\d\d)Z/, 'T$1:$2:$3Z'));

/** Times of the verified copies in the folder, the oldest first; none if it does not exist. */
export async function listCopies(folder: string): Promise<Date[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (getErrorCode(error) === 'ENOENT') return [];
    throw error;
  });
  return names
    .filter((name) => NAME.test(name))
    .toSorted()
    .map(parseName);
}

/** Time of the newest copy; undefined also for a folder that cannot be read. */
async function findNewestCopy(folder: string): Promise<Date | undefined> {
  try {
    return (await listCopies(folder)).at(-1);
  } catch {
    return undefined;
  }
}

/** The error of a database that cannot be opened, with a way to go on for the operator. Its `cause` is that of PGlite. */
export class DatabaseFolderError extends Error {
  override name = 'DatabaseFolderError';
}

/** An open database needs less; with less than this, the full disk is the likely cause. */
const MIN_FREE_BYTES = 64_000_000;

/** Added to the error of a folder that cannot be opened where its disk is nearly full; PGlite does not report that as the cause. */
export async function explainSpace(folder: string, minFreeBytes = MIN_FREE_BYTES): Promise<string> {
  const space = await statfs(folder).catch(() => undefined);
  const freeBytes = space ? space.bavail * space.bsize : Infinity;
  if (freeBytes >= minFreeBytes) return '';
  return `: only ${(freeBytes / 1e6).toFixed(1)} MB are free on its disk. Free space and try again first`;
}

/**
 * The same error with what an operator can do: the newest copy that the service has made, or the operator's own. `copiesFolder` is
 * undefined where the service makes none. A folder of copies that cannot be read is one without copies, so that the advice is given in
 * any case.
 */
export async function adviseOnFolder(
  error: DatabaseFolderError,
  clusterFolder: string,
  copiesFolder: string | undefined,
): Promise<DatabaseFolderError> {
  const folder = dirname(clusterFolder);
  const newest = copiesFolder === undefined ? undefined : await findNewestCopy(copiesFolder);
  const source =
    copiesFolder === undefined
      ? 'The service makes no copies (STEWARD_COPY_HOURS is not set): use your own copy of DATA_DIR.'
      : newest === undefined
        ? `${copiesFolder} has no copy: use your own copy of DATA_DIR.`
        : `The newest copy is ${join(copiesFolder, formatCopyName(newest))}.`;
  const message =
    `${error.message}. It may be damaged. ${source} To go on with a copy, rename ${folder}, do not delete it, and copy the ` +
    'folder "db" of the copy to its place (docs/operating.md, "Go on after a damaged database folder"). ' +
    `The cause: ${error.cause instanceof Error ? error.cause.message : 'not known'}.`;
  return new DatabaseFolderError(message, { cause: error.cause });
}
