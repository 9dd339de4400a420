/**
 * Whether DATA_DIR is the folder of files that all processes of the database share. The folder has an id in a file, and the database
 * the same id: a process with another folder would answer downloads of files that others stored with an error.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Db } from './db/database.ts';
import { getErrorCode } from './error-code.ts';
import { loadOrSetValue, setValue } from './installation.store.ts';

const ID_FILE = 'files-store.id';
const VALUE_NAME = 'files store';

async function readId(dataDir: string): Promise<string | undefined> {
  try {
    return (await readFile(join(dataDir, ID_FILE), 'utf8')).trim();
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

const writeId = (dataDir: string, id: string): Promise<void> =>
  writeFile(join(dataDir, ID_FILE), `${id}\n`, { mode: 0o600 });

/**
 * Why files cannot be stored in the folder, or are not those of the other processes of the database; undefined if all is well.
 * `isShared`: whether the database can have other processes; the embedded one is itself in the folder.
 */
export async function explainUnusableFiles(
  db: Db,
  dataDir: string,
  isShared: boolean,
): Promise<string | undefined> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    await tryFolder(dataDir);
    if (!isShared) return undefined;
    const found = await readId(dataDir);
    const proposed = found ?? randomUUID();
    const expected = await loadOrSetValue(db, VALUE_NAME, proposed);
    // The first process of the database. Of two that start at once, one finds the id of the other.
    if (found === undefined && expected === proposed) await writeId(dataDir, expected);
    if (expected === proposed || (await readId(dataDir)) === expected) return undefined;
    return (
      'DATA_DIR is not the folder of files of the other processes of this database: mount the same folder for all, or run ' +
      'steward adopt-files in the folder that holds the files'
    );
  } catch (error) {
    return `DATA_DIR cannot be written and read: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Writes a file, reads it and deletes it. @throws Error */
async function tryFolder(dataDir: string): Promise<void> {
  const file = join(dataDir, `ready-${randomUUID()}`);
  const content = randomUUID();
  try {
    await writeFile(file, content, { mode: 0o600 });
    if ((await readFile(file, 'utf8')) !== content) throw new Error('a file was not read as it was written');
  } finally {
    await rm(file, { force: true });
  }
}

/** Makes the folder the one of the database, for example after its files were restored to a new disk. */
export async function adoptFiles(db: Db, dataDir: string): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const id = randomUUID();
  await writeId(dataDir, id);
  await setValue(db, VALUE_NAME, id);
}
