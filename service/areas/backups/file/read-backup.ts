import { createHash } from 'node:crypto';
import { PassThrough, pipeline, type Readable } from 'node:stream';
import { buffer as readBytes } from 'node:stream/consumers';
import { type Entry, fromRandomAccessReader, openPromise, RandomAccessReader, type ZipFile } from 'yauzl';
import { ApiError } from '../../../kernel/api-error.ts';
import type { BlobInfo, BlobStore } from '../../../kernel/files/blob-store.ts';
import { FORMAT_VERSION, Manifest, MANIFEST_NAME, type Member } from './manifest.ts';

/** A file that is not a valid backup; the message is for users. Nothing was written. */
export class InvalidBackupError extends Error {
  override name = 'InvalidBackupError';
}

/** Larger than the manifest of any backup, and small enough to hold in memory. */
const MAX_MANIFEST_BYTES = 64 << 20;
const MAX_MEMBERS = 1_000_000;

/** Backup opened for reading; it contains exactly the members of its manifest. */
export interface BackupFile {
  manifest: Manifest;
  /**
   * Streams a member and compares it with the manifest. @throws InvalidBackupError at the end of a member that differs
   */
  read(member: Member): AsyncGenerator<Buffer>;
  close(): void;
}

const createDamagedError = (reason: string): InvalidBackupError =>
  new InvalidBackupError(`The file is damaged: ${reason}`);

async function readZipDirectory(zip: ZipFile): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>();
  for await (const entry of zip.eachEntry()) {
    if (entries.has(entry.fileName))
      throw new InvalidBackupError(`The file contains ${entry.fileName} twice`);
    if (entries.size >= MAX_MEMBERS) throw new InvalidBackupError('The file has too many members');
    if (entry.isEncrypted()) throw new InvalidBackupError('The file is encrypted');
    entries.set(entry.fileName, entry);
  }
  return entries;
}

async function readEntry(zip: ZipFile, entry: Entry, maxBytes: number): Promise<Buffer> {
  if (entry.uncompressedSize > maxBytes) throw new InvalidBackupError(`${entry.fileName} is too large`);
  const stream: Readable = await zip.openReadStreamPromise(entry);
  return Buffer.concat(await Array.fromAsync(stream as AsyncIterable<Buffer>));
}

function parseManifest(bytes: Buffer): Manifest {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw createDamagedError(`${MANIFEST_NAME} is not valid JSON`);
  }
  const version: unknown = Object(value).formatVersion;
  if (typeof version === 'number' && version > FORMAT_VERSION)
    throw new InvalidBackupError(
      `The backup has format ${version} of a newer version of the service; this version reads formats up to ${FORMAT_VERSION}`,
    );
  const { data, error } = Manifest.safeParse(value);
  if (data) return data;
  const [issue] = error.issues;
  throw new InvalidBackupError(
    `The file is not a backup: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`,
  );
}

/** Requires that the ZIP directory and the manifest list the same members with the same sizes. */
function requireSameMembers(manifest: Manifest, entries: ReadonlyMap<string, Entry>): void {
  const names = new Set(manifest.members.map(({ name }) => name));
  if (names.size !== manifest.members.length)
    throw new InvalidBackupError('The manifest lists a member twice');
  for (const { name, size } of manifest.members) {
    const entry = entries.get(name);
    if (!entry) throw createDamagedError(`${name} is missing`);
    if (entry.uncompressedSize !== size)
      throw createDamagedError(`${name} does not have the size given in the manifest`);
  }
  for (const name of entries.keys())
    if (name !== MANIFEST_NAME && !names.has(name))
      throw new InvalidBackupError(`${name} is not in the manifest`);
}

async function* readVerified(zip: ZipFile, entry: Entry, member: Member): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  let size = 0;
  try {
    const stream: Readable = await zip.openReadStreamPromise(entry);
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > member.size) throw createDamagedError(`${member.name} is longer than given in the manifest`);
      hash.update(chunk);
      yield chunk;
    }
  } catch (error) {
    throw error instanceof InvalidBackupError
      ? error
      : createDamagedError(`${member.name} cannot be unpacked`);
  }
  if (size !== member.size || hash.digest('hex') !== member.sha256)
    throw createDamagedError(`${member.name} does not match the manifest`);
}

/**
 * Opens a backup. Names in it are only compared, never used as paths.
 * @throws InvalidBackupError when the file is no backup, is damaged, or has a newer format
 */
export const openBackup = (path: string): Promise<BackupFile> =>
  readBackup(() => openPromise(path, { autoClose: false }));

async function readBackup(open: () => Promise<ZipFile>): Promise<BackupFile> {
  const zip = await open().catch((error: unknown) => {
    if (error instanceof ApiError || (error instanceof Error && 'code' in error && error.code !== undefined))
      throw error;
    throw new InvalidBackupError(
      `The file is not a backup or is truncated: ${error instanceof Error ? error.message : 'not a ZIP'}`,
    );
  });
  try {
    const entries = await readZipDirectory(zip).catch((error: unknown) => {
      throw error instanceof InvalidBackupError ? error : createDamagedError('its directory cannot be read');
    });
    const manifestEntry = entries.get(MANIFEST_NAME);
    if (!manifestEntry) throw new InvalidBackupError(`The file is not a backup: it has no ${MANIFEST_NAME}`);
    const bytes = await readEntry(zip, manifestEntry, MAX_MANIFEST_BYTES).catch((error: unknown) => {
      throw error instanceof InvalidBackupError
        ? error
        : createDamagedError(`${MANIFEST_NAME} cannot be unpacked`);
    });
    const manifest = parseManifest(bytes);
    requireSameMembers(manifest, entries);
    return {
      manifest,
      read(member) {
        const entry = entries.get(member.name);
        if (!entry) throw new Error(`${member.name} is not a member`);
        return readVerified(zip, entry, member);
      },
      close: () => zip.close(),
    };
  } catch (error) {
    zip.close();
    throw error;
  }
}

/** Bytes that are fetched at a time while the list of members is read, which the format does member by member. */
const WINDOW_BYTES = 1 << 20;

/** Reads ranges of a blob, as the ZIP format asks for them. */
class BlobReader extends RandomAccessReader {
  readonly #blobs: BlobStore;
  readonly #info: BlobInfo;
  #window = { start: 0, bytes: Buffer.alloc(0) };

  constructor(blobs: BlobStore, info: BlobInfo) {
    super();
    this.#blobs = blobs;
    this.#info = info;
  }

  /** Reads a few bytes. */
  override read(
    target: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    void this.#copyBytes(target, { offset, length, position }, callback);
  }

  async #copyBytes(
    target: Buffer,
    { offset, length, position }: Record<'offset' | 'length' | 'position', number>,
    callback: (error: Error | null) => void,
  ): Promise<void> {
    let failure: Error | null = null;
    try {
      const { start, bytes } = await this.#loadWindow(position, length);
      bytes.copy(target, offset, position - start, position - start + length);
    } catch (error) {
      failure = toError(error);
    }
    callback(failure);
  }

  /** Reads the data of a member; `end` is the byte after the last. */
  override _readStreamForRange(start: number, end: number): Readable {
    const output = new PassThrough();
    this.#blobs.read(this.#info.name, { start, end: end - 1 }).then(
      (stream) => pipeline(stream, output, () => {}),
      (error: unknown) => output.destroy(toError(error)),
    );
    return output;
  }

  async #loadWindow(position: number, length: number): Promise<{ start: number; bytes: Buffer }> {
    const { start, bytes } = this.#window;
    if (position >= start && position + length <= start + bytes.length) return this.#window;
    const end = Math.min(this.#info.size, position + Math.max(length, WINDOW_BYTES)) - 1;
    const stream = await this.#blobs.read(this.#info.name, { start: position, end });
    this.#window = { start: position, bytes: await readBytes(stream) };
    return this.#window;
  }
}

const toError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/** Opens a stored backup without fetching all of it. */
async function openStoredZip(blobs: BlobStore, name: string): Promise<ZipFile> {
  const info = await blobs.stat(name);
  if (!info) throw new Error(`The file ${name} is missing`);
  const { promise, resolve, reject } = Promise.withResolvers<ZipFile>();
  const options = { autoClose: false, lazyEntries: true };
  fromRandomAccessReader(new BlobReader(blobs, info), info.size, options, (error, zip) =>
    error ? reject(error) : resolve(zip),
  );
  return promise;
}

/** Reads the manifest of a stored backup. */
export async function readManifest(blobs: BlobStore, name: string): Promise<Manifest> {
  const file = await readBackup(() => openStoredZip(blobs, name));
  file.close();
  return file.manifest;
}
