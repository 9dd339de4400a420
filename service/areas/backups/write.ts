import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, readFileSync } from 'node:fs';
import { Transform, type Writable, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import type { Db } from '../../kernel/db/database.ts';
import { contentPath } from '../entries/index.ts';
import { type EntryType, loadSchema } from '../schema/index.ts';
import { FORMAT_VERSION, type Manifest, MANIFEST, type Member, NOT_INCLUDED } from './manifest.ts';
import { filePath } from './sheets.ts';
import * as store from './snapshot.store.ts';

const { version: serviceVersion } = JSON.parse(
  readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
) as { version: string };

/** What a backup is asked to hold. */
export interface Wanted {
  siteId: number;
  /** Entry types; null: all. */
  typeIds: readonly number[] | null;
  includesFiles: boolean;
}

/** Told as it goes on: the share that is done in percent, the member, and the bytes that are on the disk. */
export interface Progress {
  percent: number;
  stage: string;
  schemaVersion: number;
  bytes: number;
}

interface Written {
  size: number;
  sha256: Buffer;
  manifest: Manifest;
}

interface Making {
  dataDir: string;
  path: string;
  signal: AbortSignal;
  tell(progress: Progress): void;
  /** Opens the file; tests give one that fails. */
  open?: (path: string) => Writable;
}

/** On the disk before it is closed, for the owner alone, and never over another file. */
const openFile = (path: string): Writable =>
  createWriteStream(path, { mode: 0o600, flags: 'wx', flush: true });

/**
 * Writes a backup of a site into a file. All sheets are of one moment: they are read in one transaction, which ends
 * before the bytes of files are copied (those never change). On the embedded database that transaction holds everybody
 * up, so nothing is done in it that can be done outside (docs/decisions/0021).
 */
export async function writeBackup(db: Db, wanted: Wanted, making: Making): Promise<Written> {
  const archive = new Archive(new Date());
  const hash = createHash('sha256');
  let size = 0;
  const counter = new Counter(making, () => size);
  const measured = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      size += chunk.length;
      done(null, chunk);
    },
  });
  const stopped = new AbortController();
  const signal = AbortSignal.any([making.signal, stopped.signal]);
  const file = pipeline(archive.output, measured, (making.open ?? openFile)(making.path), { signal });
  // A full disk, or a cancelled backup, ends the reading too.
  file.catch((error: unknown) => archive.fail(making.signal.aborted ? making.signal.reason : error));
  try {
    const manifest = await fill(db, wanted, archive, { ...making, counter });
    archive.end();
    await file;
    return { size, sha256: hash.digest(), manifest };
  } catch (error) {
    stopped.abort(error);
    await file.catch(() => {});
    throw making.signal.aborted ? making.signal.reason : error;
  }
}

/** How far it is: rows count as a thousand bytes of a file each. */
class Counter {
  #total = 1;
  #done = 0;
  #stage = '';
  #schemaVersion = 0;
  readonly #tell: Making['tell'];
  readonly #bytes: () => number;

  constructor({ tell }: Pick<Making, 'tell'>, bytes: () => number) {
    this.#tell = tell;
    this.#bytes = bytes;
  }

  begin(total: { rows: number; fileBytes: number }, schemaVersion: number): void {
    this.#total = Math.max(1, total.rows + total.fileBytes / 1000);
    this.#schemaVersion = schemaVersion;
  }

  enter(stage: string): void {
    this.#stage = stage;
    this.add(0);
  }

  add(rows: number): void {
    this.#done += rows;
    this.#tell({
      percent: Math.min(99, Math.floor((100 * this.#done) / this.#total)),
      stage: this.#stage,
      schemaVersion: this.#schemaVersion,
      bytes: this.#bytes(),
    });
  }
}

async function fill(
  db: Db,
  wanted: Wanted,
  archive: Archive,
  { dataDir, signal, counter }: Making & { counter: Counter },
): Promise<Manifest> {
  const members: Member[] = [];
  const { siteId, typeIds, includesFiles } = wanted;
  const isWholeSite = typeIds === null;
  const { head, contents } = await store.inSnapshot(db, async (tx) => {
    const moment = await store.momentOf(tx, siteId);
    const schema = await loadSchema(tx, siteId);
    const types = schema.types.filter(({ id }) => typeIds?.includes(id) ?? true);
    const { rows, fileBytes } = await store.measure(tx, siteId, typeIds);
    counter.begin({ rows, fileBytes: includesFiles ? fileBytes : 0 }, schema.version);
    const files = store.fileSheet(siteId, types, isWholeSite);
    for (const sheet of [...store.sheetsOf(siteId, types, isWholeSite), files]) {
      signal.throwIfAborted();
      counter.enter(sheet.title ?? sheet.name);
      // oxlint-disable-next-line no-await-in-loop -- one member after the other
      members.push(await addSheet(tx, sheet, archive, { signal, counter }));
    }
    return {
      head: headOf(moment, schema.version, types),
      contents: includesFiles ? await store.contentsOf(tx, files) : [],
    };
  });
  for (const content of contents) {
    signal.throwIfAborted();
    counter.enter('Files');
    // oxlint-disable-next-line no-await-in-loop
    members.push(await addFile(content, archive, dataDir));
    counter.add(content.size / 1000);
  }
  const manifest: Manifest = { ...head, isWholeSite, includesFiles, notIncluded: NOT_INCLUDED, members };
  await archive.add(MANIFEST, only(Buffer.from(JSON.stringify(manifest, undefined, 1))));
  return manifest;
}

const headOf = (
  { at, slug, name }: { at: Date; slug: string; name: string },
  schemaVersion: number,
  types: readonly EntryType[],
) => ({
  format: 'steward-backup' as const,
  formatVersion: FORMAT_VERSION,
  serviceVersion,
  createdDate: at.toISOString(),
  schemaVersion,
  site: { slug, name },
  entryTypes: types.map(({ apiName }) => apiName),
});

async function* only(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

async function addSheet(
  tx: Parameters<typeof store.windowsOf>[0],
  sheet: store.Sheet,
  archive: Archive,
  { signal, counter }: { signal: AbortSignal; counter: Counter },
): Promise<Member> {
  let rows = 0;
  async function* lines() {
    yield Buffer.from(sheet.header);
    for await (const window of store.windowsOf(tx, sheet)) {
      signal.throwIfAborted();
      rows += window.rows;
      counter.add(window.rows);
      yield Buffer.from(window.text);
    }
  }
  const added = await archive.add(sheet.name, lines());
  return { name: sheet.name, kind: sheet.kind, title: sheet.title, rows, ...added };
}

/** The bytes of a file as they are: most kinds of files are compressed already. */
async function addFile({ hash }: store.StoredContent, archive: Archive, dataDir: string): Promise<Member> {
  const name = filePath(hash);
  const added = await archive.add(name, createReadStream(contentPath(dataDir, hash)), { compress: false });
  if (added.sha256 !== hash.toString('hex'))
    throw new Error(`A file of the site is damaged on the disk: its content is no longer that of ${name}`);
  return { name, kind: 'file', title: null, rows: null, ...added };
}

/** A tenth of the work of the usual level 6, and files of CSV are a fifth larger. */
const COMPRESSION = 2;

interface Added {
  size: number;
  sha256: string;
}

/** A ZIP that is written member after member; nothing of it is held. */
class Archive {
  readonly #zip = new ZipFile();
  readonly #mtime: Date;
  readonly #failure = Promise.withResolvers<never>();

  constructor(mtime: Date) {
    this.#mtime = mtime;
    this.#zip.on('error', (error) => this.#failure.reject(error));
    this.#failure.promise.catch(() => {});
  }

  /** The bytes of the file, for whoever writes them to the disk. */
  get output(): NodeJS.ReadableStream {
    return this.#zip.outputStream;
  }

  /** Adds a member and answers when all of it was taken, with its size and hash. */
  async add(name: string, source: AsyncIterable<Buffer>, { compress = true } = {}): Promise<Added> {
    const hash = createHash('sha256');
    let size = 0;
    const { promise: taken, resolve } = Promise.withResolvers<void>();
    async function* measured() {
      for await (const chunk of source) {
        hash.update(chunk);
        size += chunk.length;
        yield chunk;
      }
      resolve();
    }
    const stream = Readable.from(measured(), { objectMode: false, highWaterMark: 1 << 16 });
    stream.once('error', (error) => this.#failure.reject(error));
    this.#zip.addReadStream(stream, name, {
      mtime: this.#mtime,
      mode: 0o100600,
      compress,
      ...(compress && { compressionLevel: COMPRESSION }),
    });
    try {
      await Promise.race([taken, this.#failure.promise]);
    } catch (error) {
      stream.destroy();
      throw error;
    }
    return { size, sha256: hash.digest('hex') };
  }

  /** Ends the file with its directory. */
  end(): void {
    this.#zip.end();
  }

  /** Gives up: whoever waits for a member learns why. */
  fail(error: unknown): void {
    this.#failure.reject(error);
  }
}
