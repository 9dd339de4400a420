import { createReadStream } from 'node:fs';
import type { TableSheet } from '../../../kernel/backup-sheets.ts';
import { type Db, readInSnapshot, type Tx } from '../../../kernel/db/database.ts';
import type { BlobStore } from '../../../kernel/files/blob-store.ts';
import { createHashedFile, type HashedFile } from '../../../kernel/files/hashed-file.ts';
import { JobStopped } from '../../../kernel/jobs/job-owner.ts';
import { VERSION } from '../../../kernel/version.ts';
import { getContentName } from '../../entries/index.ts';
import { type EntryType, loadSchema } from '../../schema/index.ts';
import {
  type FinishedMember,
  type FinishedPart,
  recordMember,
  recordSnapshot,
  type Snapshot,
} from './journal.ts';
import { FORMAT_VERSION, type Manifest, MANIFEST_NAME, type Member, NOT_INCLUDED } from './manifest.ts';
import { buildFilePath } from './sheets.ts';
import * as store from './snapshot.store.ts';
import { createZipArchive, type ZipArchive } from './zip-archive.ts';

/** Requested content of a backup. */
export interface BackupScope {
  siteId: number;
  /** Ids of entry types; null: all. */
  typeIds: readonly number[] | null;
  includesFiles: boolean;
}

/** Progress of a backup: percentage, current member, and bytes on the disk. */
interface Progress {
  percent: number;
  stage: string;
  bytes: number;
}

interface BackupFileInfo {
  size: number;
  sha256: Buffer;
  manifest: Manifest;
}

interface WriteOptions {
  /** Store of the contents of files. */
  blobs: BlobStore;
  /** Table sheets of all areas, in the order of the archive. */
  sheets: readonly TableSheet[];
  path: string;
  /** Where the finished members are recorded, so that another process can continue. */
  journal: string;
  /** What an earlier attempt has finished. */
  finished?: FinishedPart | undefined;
  signal: AbortSignal;
  onProgress(progress: Progress): void;
  /** Called when the sheets are in the file: read in the snapshot, or copied from the earlier attempt. */
  onSheets?(schemaVersion: number): Promise<void>;
  /** Opens the file; replaced in tests. */
  open?: (path: string) => Promise<HashedFile>;
}

/**
 * Writes a backup of a site to a file, from the beginning or after what an earlier attempt has finished. All sheets are read in one
 * snapshot transaction, which ends before the bytes of files are copied, because those never change. On the embedded database that
 * transaction blocks all others, so it contains only what must be in it (docs/decisions/0021).
 */
export async function writeBackup(
  db: Db,
  scope: BackupScope,
  options: WriteOptions,
): Promise<BackupFileInfo> {
  const { signal, finished, open = createHashedFile } = options;
  const file = await open(options.path);
  try {
    const archive = createZipArchive({
      write(bytes) {
        signal.throwIfAborted();
        return file.write(bytes);
      },
      at: new Date(),
      signal,
    });
    const output = { file, archive, counter: new ProgressCounter(options, file.getBytes) };
    const manifest = await writeMembers(db, scope, { ...options, ...output, finished });
    await archive.end();
    return { ...(await file.end()), manifest };
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    await file.close();
  }
}

/** Computes the progress; a row counts as much as 1,000 bytes of a file. */
class ProgressCounter {
  #total = 1;
  #done = 0;
  #stage = '';
  readonly #onProgress: WriteOptions['onProgress'];
  readonly #bytes: () => number;

  constructor({ onProgress }: Pick<WriteOptions, 'onProgress'>, bytes: () => number) {
    this.#onProgress = onProgress;
    this.#bytes = bytes;
  }

  start(total: number): void {
    this.#total = Math.max(1, total);
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
      bytes: this.#bytes(),
    });
  }
}

interface Output extends WriteOptions {
  file: HashedFile;
  archive: ZipArchive;
  counter: ProgressCounter;
}

async function writeMembers(db: Db, scope: BackupScope, output: Output): Promise<Manifest> {
  const { finished, archive, journal, signal, counter, blobs } = output;
  const isWholeSite = scope.typeIds === null;
  const { snapshot, members } = finished
    ? await copyFinishedPart(finished, output)
    : await writeSheets(db, scope, output);
  await output.onSheets?.(snapshot.head.schemaVersion);
  const copiedCount = members.length - snapshot.sheetCount;
  for (const [hash, size] of snapshot.contents.slice(copiedCount)) {
    signal.throwIfAborted();
    counter.startStage('Files');
    const added = await addFile(Buffer.from(hash, 'hex'), archive, blobs);
    await recordMember(journal, added);
    members.push(added.member);
    counter.add(size / 1000);
  }
  const { head } = snapshot;
  const { includesFiles } = scope;
  const manifest: Manifest = { ...head, isWholeSite, includesFiles, notIncluded: NOT_INCLUDED, members };
  await archive.add(MANIFEST_NAME, toStream(Buffer.from(JSON.stringify(manifest, undefined, 1))));
  return manifest;
}

/** Reads and writes all sheets in one snapshot. */
async function writeSheets(
  db: Db,
  { siteId, typeIds, includesFiles }: BackupScope,
  output: Output,
): Promise<{ snapshot: Snapshot; members: Member[] }> {
  const { sheets, signal, counter, journal } = output;
  const isWholeSite = typeIds === null;
  const members: Member[] = [];
  const snapshot = await readInSnapshot(db, async (tx) => {
    const moment = await store.loadSnapshotSite(tx, siteId);
    const schema = await loadSchema(tx, siteId);
    const types = schema.types.filter(({ id }) => typeIds?.includes(id) ?? true);
    const { rows, fileBytes } = await store.measureSite(tx, siteId, typeIds);
    const total = rows + (includesFiles ? fileBytes / 1000 : 0);
    counter.start(total);
    const files = store.buildFileSheet(siteId, types, isWholeSite);
    for (const sheet of [...store.buildSheets(sheets, siteId, types, isWholeSite), files]) {
      signal.throwIfAborted();
      counter.startStage(sheet.title ?? sheet.name);
      const added = await addSheet(tx, sheet, output);
      await recordMember(journal, added);
      members.push(added.member);
    }
    const contents = includesFiles ? await store.listContents(tx, files) : [];
    return {
      head: buildManifestHead(moment, schema.version, types),
      total,
      sheetCount: members.length,
      contents: contents.map(({ hash, size }): [string, number] => [hash.toString('hex'), size]),
    };
  });
  await recordSnapshot(journal, snapshot);
  return { snapshot, members };
}

/** Copies what an earlier attempt has finished: its process may still be writing to its file. */
async function copyFinishedPart(
  { path, snapshot, members }: FinishedPart,
  { file, archive, counter, journal, signal }: Output,
): Promise<{ snapshot: Snapshot; members: Member[] }> {
  const end = members.at(-1)?.entry.end ?? 0;
  counter.start(snapshot.total);
  counter.startStage('Continuing');
  if (end > 0)
    for await (const chunk of createReadStream(path, { end: end - 1, highWaterMark: 1 << 20 })) {
      signal.throwIfAborted();
      await file.write(chunk as Buffer);
    }
  archive.restore(members.map(({ entry }) => entry));
  for (const finished of members) {
    await recordMember(journal, finished);
    const { rows, size } = finished.member;
    counter.add(rows ?? size / 1000);
  }
  await recordSnapshot(journal, snapshot);
  return { snapshot, members: members.map(({ member }) => member) };
}

const buildManifestHead = (
  { at, slug, name }: { at: Date; slug: string; name: string },
  schemaVersion: number,
  types: readonly EntryType[],
) => ({
  format: 'steward-backup' as const,
  formatVersion: FORMAT_VERSION,
  serviceVersion: VERSION,
  createdDate: at.toISOString(),
  schemaVersion,
  site: { slug, name },
  entryTypes: types.map(({ apiName }) => apiName),
});

async function* toStream(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

async function addSheet(
  tx: Tx,
  sheet: store.Sheet,
  { archive, signal, counter }: Output,
): Promise<FinishedMember> {
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
  const { entry, sha256 } = await archive.add(sheet.name, lines());
  const { name, kind, title } = sheet;
  return { member: { name, kind, title, rows, size: entry.size, sha256 }, entry };
}

/**
 * Adds a file without compression: most file types are already compressed.
 * @throws JobStopped for a damaged one
 */
async function addFile(hash: Buffer, archive: ZipArchive, blobs: BlobStore): Promise<FinishedMember> {
  const name = buildFilePath(hash);
  const source = await blobs.read(getContentName(hash));
  const { entry, sha256 } = await archive.add(name, source, { compress: false });
  if (sha256 !== hash.toString('hex'))
    throw new JobStopped(`A file of the site is damaged: its content does not match ${name}`);
  return { member: { name, kind: 'file', title: null, rows: null, size: entry.size, sha256 }, entry };
}
