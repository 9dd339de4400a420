import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { FORMAT_VERSION, Manifest, MANIFEST, type Member } from './manifest.ts';

/** A file that is not taken, with the reason in words; nothing was written. */
export class RefusedFile extends Error {
  override name = 'RefusedFile';
}

/** More than the manifest of any backup has, and no more than is held in memory without harm. */
const MAX_MANIFEST = 64 << 20;
const MOST_MEMBERS = 1_000_000;

/** A backup that is open for reading; its members are those of its manifest, no more and no less. */
export interface BackupFile {
  manifest: Manifest;
  /** The bytes of a member, held against the manifest: what differs ends the stream with a RefusedFile. */
  read(member: Member): AsyncGenerator<Buffer>;
  close(): void;
}

const damaged = (what: string): RefusedFile => new RefusedFile(`The file is damaged: ${what}`);

async function entriesOf(zip: ZipFile): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>();
  for await (const entry of zip.eachEntry()) {
    if (entries.has(entry.fileName)) throw new RefusedFile(`The file has ${entry.fileName} twice`);
    if (entries.size >= MOST_MEMBERS) throw new RefusedFile('The file has too many members');
    if (entry.isEncrypted()) throw new RefusedFile('The file is encrypted');
    entries.set(entry.fileName, entry);
  }
  return entries;
}

async function bytesOf(zip: ZipFile, entry: Entry, most: number): Promise<Buffer> {
  if (entry.uncompressedSize > most) throw new RefusedFile(`${entry.fileName} is too large`);
  const stream: Readable = await zip.openReadStreamPromise(entry);
  return Buffer.concat(await Array.fromAsync(stream as AsyncIterable<Buffer>));
}

function parseManifest(bytes: Buffer): Manifest {
  let given: unknown;
  try {
    given = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw damaged(`${MANIFEST} is no JSON`);
  }
  const version: unknown = Object(given).formatVersion;
  if (typeof version === 'number' && version > FORMAT_VERSION)
    throw new RefusedFile(
      `The backup has format ${version}, which a newer version of the service wrote; this one reads up to ${FORMAT_VERSION}`,
    );
  const { data, error } = Manifest.safeParse(given);
  if (data) return data;
  const [issue] = error.issues;
  throw new RefusedFile(`The file is no backup: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`);
}

/** The directory of the ZIP and the manifest tell of the same members, of the same sizes. */
function compare(manifest: Manifest, entries: ReadonlyMap<string, Entry>): void {
  const names = new Set(manifest.members.map(({ name }) => name));
  if (names.size !== manifest.members.length) throw new RefusedFile('The manifest lists a member twice');
  for (const { name, size } of manifest.members) {
    const entry = entries.get(name);
    if (!entry) throw damaged(`${name} is missing`);
    if (entry.uncompressedSize !== size) throw damaged(`${name} has not the size that the manifest tells`);
  }
  for (const name of entries.keys())
    if (name !== MANIFEST && !names.has(name)) throw new RefusedFile(`${name} is not in the manifest`);
}

async function* checked(zip: ZipFile, entry: Entry, member: Member): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  let size = 0;
  try {
    const stream: Readable = await zip.openReadStreamPromise(entry);
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > member.size) throw damaged(`${member.name} is longer than the manifest tells`);
      hash.update(chunk);
      yield chunk;
    }
  } catch (error) {
    throw error instanceof RefusedFile ? error : damaged(`${member.name} cannot be unpacked`);
  }
  if (size !== member.size || hash.digest('hex') !== member.sha256)
    throw damaged(`${member.name} is not what the manifest tells`);
}

/**
 * Opens a backup. Names in it are compared, never used as paths.
 * @throws RefusedFile for what is no backup, or a damaged or newer one
 */
export async function openBackup(path: string): Promise<BackupFile> {
  const zip = await openPromise(path, { autoClose: false }).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code !== undefined) throw error;
    throw new RefusedFile(
      `The file is no backup, or is cut off: ${error instanceof Error ? error.message : 'no ZIP'}`,
    );
  });
  try {
    const entries = await entriesOf(zip).catch((error: unknown) => {
      throw error instanceof RefusedFile ? error : damaged('its directory cannot be read');
    });
    const head = entries.get(MANIFEST);
    if (!head) throw new RefusedFile(`The file is no backup: it has no ${MANIFEST}`);
    const bytes = await bytesOf(zip, head, MAX_MANIFEST).catch((error: unknown) => {
      throw error instanceof RefusedFile ? error : damaged(`${MANIFEST} cannot be unpacked`);
    });
    const manifest = parseManifest(bytes);
    compare(manifest, entries);
    return {
      manifest,
      read(member) {
        const entry = entries.get(member.name);
        if (!entry) throw new Error(`${member.name} is no member`);
        return checked(zip, entry, member);
      },
      close: () => zip.close(),
    };
  } catch (error) {
    zip.close();
    throw error;
  }
}

/** What a backup says of itself. */
export async function readManifest(path: string): Promise<Manifest> {
  const file = await openBackup(path);
  file.close();
  return file.manifest;
}
