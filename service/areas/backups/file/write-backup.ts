import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, readFileSync } from 'node:fs';
import { Transform, type Writable, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import type { TableSheet } from '../../../kernel/backup-sheets.ts';
import { type Db, readInSnapshot, type Tx } from '../../../kernel/db/database.ts';
import { getContentPath } from '../../entries/index.ts';
import { type EntryType, loadSchema } from '../../schema/index.ts';
import { FORMAT_VERSION, type Manifest, MANIFEST_NAME, type Member, NOT_INCLUDED } from './manifest.ts';
import { buildFilePath } from './sheets.ts';
import * as store from './snapshot.store.ts';

const { version: serviceVersion } = JSON.parse(
  readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8'),
) as { version: string };

/** Requested content of a backup. */
export interface BackupScope {
  siteId: number;
  /** Ids of entry types; null: all. */
  typeIds: readonly number[] | null;
  includesFiles: boolean;
}

/** Progress of a backup: percentage, current member, and bytes on the disk. */
export interface Progress {
  percent: number;
  stage: string;
  schemaVersion: number;
  bytes: number;
}

interface BackupFileInfo {
  size: number;
  sha256: Buffer;
  manifest: Manifest;
}

interface WriteOptions {
  dataDir: string;
  /** Table sheets of all areas, in the order of the archive. */
  sheets: readonly TableSheet[];
  path: string;
  signal: AbortSignal;
  onProgress(progress: Progress): void;
  /** Opens the file; replaced in tests. */
  open?: (path: string) => Writable;
}

/** Flushes to the disk before closing, readable by the owner only, and never overwrites a file. */
const openFile = (path: string): Writable =>
  createWriteStream(path, { mode: 0o600, flags: 'wx', flush: true });

/**
 * Writes a backup of a site to a file. All sheets are read in one snapshot transaction, which ends before the bytes of
 * files are copied, because those never change. On the embedded database that transaction blocks all others, so it
 * contains only what must be in it (docs/decisions/0021).
 */
export async function writeBackup(
  db: Db,
  scope: BackupScope,
  options: WriteOptions,
): Promise<BackupFileInfo> {
  const archive = new ZipArchive(new Date());
  const hash = createHash('sha256');
  let size = 0;
  const counter = new ProgressCounter(options, () => size);
  const hashing = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      size += chunk.length;
      done(null, chunk);
    },
  });
  const failed = new AbortController();
  const signal = AbortSignal.any([options.signal, failed.signal]);
  const file = pipeline(archive.output, hashing, (options.open ?? openFile)(options.path), { signal });
  // A full disk or a cancellation also ends the reading.
  file.catch((error: unknown) => archive.fail(options.signal.aborted ? options.signal.reason : error));
  try {
    const manifest = await writeMembers(db, scope, archive, { ...options, counter });
    archive.end();
    await file;
    return { size, sha256: hash.digest(), manifest };
  } catch (error) {
    failed.abort(error);
    await file.catch(() => {});
    throw options.signal.aborted ? options.signal.reason : error;
  }
}

/** Computes the progress; a row counts as much as 1,000 bytes of a file. */
class ProgressCounter {
  #total = 1;
  #done = 0;
  #stage = '';
  #schemaVersion = 0;
  readonly #onProgress: WriteOptions['onProgress'];
  readonly #bytes: () => number;

  constructor({ onProgress }: Pick<WriteOptions, 'onProgress'>, bytes: () => number) {
    this.#onProgress = onProgress;
    this.#bytes = bytes;
  }

  start(total: { rows: number; fileBytes: number }, schemaVersion: number): void {
    this.#total = Math.max(1, total.rows + total.fileBytes / 1000);
    this.#schemaVersion = schemaVersion;
  }

  startStage(stage: string): void {
    this.#stage = stage;
    this.add(0);
  }

  add(rows: number): void {
    this.#done += rows;
    this.#onProgress({
      percent: Math.min(99, Math.floor((100 * this.#done) / this.#total)),
      stage: this.#stage,
      schemaVersion: this.#schemaVersion,
      bytes: this.#bytes(),
    });
  }
}

async function writeMembers(
  db: Db,
  scope: BackupScope,
  archive: ZipArchive,
  { dataDir, sheets, signal, counter }: WriteOptions & { counter: ProgressCounter },
): Promise<Manifest> {
  const members: Member[] = [];
  const { siteId, typeIds, includesFiles } = scope;
  const isWholeSite = typeIds === null;
  const { head, contents } = await readInSnapshot(db, async (tx) => {
    const moment = await store.loadSnapshotSite(tx, siteId);
    const schema = await loadSchema(tx, siteId);
    const types = schema.types.filter(({ id }) => typeIds?.includes(id) ?? true);
    const { rows, fileBytes } = await store.measureSite(tx, siteId, typeIds);
    counter.start({ rows, fileBytes: includesFiles ? fileBytes : 0 }, schema.version);
    const files = store.buildFileSheet(siteId, types, isWholeSite);
    for (const sheet of [...store.buildSheets(sheets, siteId, types, isWholeSite), files]) {
      signal.throwIfAborted();
      counter.startStage(sheet.title ?? sheet.name);
      members.push(await writeSheet(tx, sheet, archive, { signal, counter }));
    }
    return {
      head: buildManifestHead(moment, schema.version, types),
      contents: includesFiles ? await store.listContents(tx, files) : [],
    };
  });
  for (const content of contents) {
    signal.throwIfAborted();
    counter.startStage('Files');
    members.push(await writeFile(content, archive, dataDir));
    counter.add(content.size / 1000);
  }
  const manifest: Manifest = { ...head, isWholeSite, includesFiles, notIncluded: NOT_INCLUDED, members };
  await archive.add(MANIFEST_NAME, toStream(Buffer.from(JSON.stringify(manifest, undefined, 1))));
  return manifest;
}

const buildManifestHead = (
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

async function* toStream(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

async function writeSheet(
  tx: Tx,
  sheet: store.Sheet,
  archive: ZipArchive,
  { signal, counter }: { signal: AbortSignal; counter: ProgressCounter },
): Promise<Member> {
  let rows = 0;
  async function* lines() {
    yield Buffer.from(sheet.header);
    for await (const window of store.readWindows(tx, sheet)) {
      signal.throwIfAborted();
      rows += window.rows;
      counter.add(window.rows);
      yield Buffer.from(window.text);
    }
  }
  const added = await archive.add(sheet.name, lines());
  return { name: sheet.name, kind: sheet.kind, title: sheet.title, rows, ...added };
}

/** Adds a file without compression: most file types are already compressed. */
async function writeFile(
  { hash }: store.StoredContent,
  archive: ZipArchive,
  dataDir: string,
): Promise<Member> {
  const name = buildFilePath(hash);
  const added = await archive.add(name, createReadStream(getContentPath(dataDir, hash)), { compress: false });
  if (added.sha256 !== hash.toString('hex'))
    throw new Error(`A file of the site is damaged on the disk: its content does not match ${name}`);
  return { name, kind: 'file', title: null, rows: null, ...added };
}

/** A tenth of the work of the default level 6; CSV becomes a fifth larger. */
const COMPRESSION_LEVEL = 2;

interface MemberDigest {
  size: number;
  sha256: string;
}

/** ZIP archive written as a stream, member by member. */
class ZipArchive {
  readonly #zip = new ZipFile();
  readonly #mtime: Date;
  readonly #failure = Promise.withResolvers<never>();

  constructor(mtime: Date) {
    this.#mtime = mtime;
    this.#zip.on('error', (error) => this.#failure.reject(error));
    this.#failure.promise.catch(() => {});
  }

  /** The bytes of the archive, to be written to the file. */
  get output(): NodeJS.ReadableStream {
    return this.#zip.outputStream;
  }

  /** Adds a member. Resolves with its size and hash when the source is fully consumed. */
  async add(name: string, source: AsyncIterable<Buffer>, { compress = true } = {}): Promise<MemberDigest> {
    const hash = createHash('sha256');
    let size = 0;
    const { promise: consumed, resolve } = Promise.withResolvers<void>();
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
      ...(compress && { compressionLevel: COMPRESSION_LEVEL }),
    });
    try {
      await Promise.race([consumed, this.#failure.promise]);
    } catch (error) {
      stream.destroy();
      throw error;
    }
    return { size, sha256: hash.digest('hex') };
  }

  /** Finishes the archive with its central directory. */
  end(): void {
    this.#zip.end();
  }

  /** Aborts: pending `add` calls reject with the error. */
  fail(error: unknown): void {
    this.#failure.reject(error);
  }
}
