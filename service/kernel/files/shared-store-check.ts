/**
 * Whether the store of files is the one that all processes of the database share. The store has an id in a blob, and the database the
 * same id: a process with another store would answer downloads of files that others stored with an error.
 */
import { createHash, randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { createFolder } from '../create-folder.ts';
import type { Db } from '../db/database.ts';
import { loadOrSetValue, setValue } from '../db/installation-values.store.ts';
import { type BlobStore, describeStoreError } from './blob-store.ts';
import type { FilePlace } from './file-folder.ts';

const ID_NAME = 'files-store.id';
const VALUE_NAME = 'files store';

/** Longest check: probes of load balancers wait for it. */
const PROBE_LIMIT_MS = 4_000;

async function readBlob(blobs: BlobStore, name: string): Promise<string | undefined> {
  return (await blobs.stat(name)) === undefined ? undefined : readText(await blobs.read(name));
}

async function writeBlob({ dataDir, blobs }: FilePlace, name: string, text: string): Promise<void> {
  await createFolder(dataDir);
  const path = join(dataDir, `writing-${randomUUID()}`);
  try {
    await writeFile(path, text, { mode: 0o600, flush: true });
    const sha256 = createHash('sha256').update(text).digest();
    await blobs.put(name, { path, size: Buffer.byteLength(text), sha256 });
  } finally {
    await rm(path, { force: true });
  }
}

const readId = async (blobs: BlobStore): Promise<string | undefined> =>
  (await readBlob(blobs, ID_NAME))?.trim();

const writeId = (place: FilePlace, id: string): Promise<void> => writeBlob(place, ID_NAME, `${id}\n`);

/**
 * Why files cannot be stored, or are not those of the other processes of the database; undefined if all is well. `isShared`: whether the
 * database can have other processes; the embedded one is itself in the folder.
 */
export async function explainUnusableFiles(
  db: Db,
  place: FilePlace,
  isShared: boolean,
): Promise<string | undefined> {
  const { blobs } = place;
  const isFolder = blobs.kind === 'folder';
  try {
    await tryStore(place);
    if (!isShared) return undefined;
    const found = await readId(blobs);
    const proposed = found ?? randomUUID();
    const expected = await loadOrSetValue(db, VALUE_NAME, proposed);
    // The first process of the database. Of two that start at once, one finds the id of the other.
    if (found === undefined && expected === proposed) await writeId(place, expected);
    if (expected === proposed || (await readId(blobs)) === expected) return undefined;
    return (
      `${isFolder ? 'DATA_DIR' : blobs.place} is not the ${isFolder ? 'folder' : 'store'} of files of the other processes of this ` +
      `database: ${isFolder ? 'mount the same folder for all' : 'give all the same settings'}, or run steward adopt-files with ` +
      `the ${isFolder ? 'folder' : 'settings of the store'} that holds the files`
    );
  } catch (error) {
    return `${isFolder ? 'DATA_DIR' : blobs.place} cannot be written and read: ${describeStoreError(error)}`;
  }
}

/** Stores a blob, reads it and deletes it. @throws Error, also when that takes more than four seconds */
export async function tryStore(place: FilePlace): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer within ${PROBE_LIMIT_MS} ms`)), PROBE_LIMIT_MS);
  const probe = tryBlob(place);
  // It may fail after the limit, when nobody waits any more.
  probe.catch(() => undefined);
  try {
    await Promise.race([probe, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function tryBlob(place: FilePlace): Promise<void> {
  const { blobs } = place;
  const name = `ready-${randomUUID()}`;
  const content = randomUUID();
  try {
    await writeBlob(place, name, content);
    if ((await readBlob(blobs, name)) !== content) throw new Error('a file was not read as it was written');
  } finally {
    await blobs.delete(name);
  }
}

/** Makes the store the one of the database, for example after its files were restored to a new disk. */
export async function adoptFiles(db: Db, place: FilePlace): Promise<void> {
  const id = randomUUID();
  await writeId(place, id);
  await setValue(db, VALUE_NAME, id);
}
