import { forEachBatch } from '../../../kernel/db/batches.ts';
import { type Db, withTransaction } from '../../../kernel/db/database.ts';
import { type BlobStore, STAGING_PREFIX } from '../../../kernel/files/blob-store.ts';
import { lockStorage } from '../../../kernel/files/storage-quota.store.ts';
import { deleteAbandonedUploads } from '../../../kernel/http/bodies/uploads.ts';
import type { Services } from '../../../kernel/http/handler.ts';
import { createItemTask } from '../../../kernel/tasks/run-in-turns.ts';
import type { ScheduledTask } from '../../../kernel/tasks/scheduled-tasks.ts';
import type { TaskItem } from '../../../kernel/tasks/task-failures.store.ts';
import { getContentName, listStoredHashes, removeContent } from './content.ts';
import * as store from './files.store.ts';

const DAY_MS = 86_400_000;
/** Time after its last upload for which a file is kept although nothing refers to it. */
const RETENTION_MS = 7 * DAY_MS;
/** Time for which a content is kept after its file was deleted: a running backup, which has listed it, still reads it. */
const BACKUP_GRACE_MS = DAY_MS;
/** Files checked in one pass over the entries of a site; bounds the memory to a few megabytes. */
const MAX_CHECKED_FILES = 100_000;
/** Entries searched for references by one statement. */
const ENTRIES_PER_STATEMENT = 2_000;
/** Files deleted in one transaction. */
const DELETE_BATCH_SIZE = 1_000;
const MAX_ENTRY_ID = 2_147_483_647;
/** Contents that versions before 0.2 moved aside to remove them. */
const REMOVED_PREFIX = 'files/removing/';
/** Contents are in one folder for each first byte of their hash. */
const CONTENT_FOLDERS = 256;

interface CleanupLimits {
  /** Files checked in one pass over the entries of a site. */
  checkedFiles: number;
  /** Entries searched by one statement. */
  entries: number;
}

interface CleanupContext {
  db: Db;
  blobs: BlobStore;
  signal: AbortSignal | undefined;
}

/** Files uploaded before this time and not referred to are deleted. */
const getExpiryTime = () => new Date(Date.now() - RETENTION_MS);

/** A site whose old files are checked page by page. */
interface FilesOfSite extends TaskItem {
  siteId: number;
  /** Id of the last checked file. */
  afterId: number;
}

/** Checks the next files of a site and deletes those to which nothing refers. @returns whether there are more files */
async function deleteFilesOfSite(
  { db, blobs, signal }: CleanupContext,
  site: FilesOfSite,
  before: Date,
  limits: CleanupLimits,
): Promise<boolean> {
  const { siteId, afterId } = site;
  const ids = await store.listFilesBefore(db, siteId, before, { afterId, limit: limits.checkedFiles });
  const orphans = new Set(ids);
  await excludeReferenced({ db, blobs, signal }, siteId, orphans, limits.entries);
  await forEachBatch([...orphans], DELETE_BATCH_SIZE, async (batch) => {
    if (!signal?.aborted) await deleteFiles({ db, blobs }, { siteId, ids: batch, before });
  });
  site.afterId = ids.at(-1) ?? 0;
  return ids.length === limits.checkedFiles;
}

/**
 * Removes from `orphans` the files to which an entry refers. A file can only become referenced again by an upload, which
 * `deleteFilesBefore` notices: the API lets an entry keep its own files only, and restored entries count here.
 */
async function excludeReferenced(
  { db, signal }: CleanupContext,
  siteId: number,
  orphans: Set<number>,
  entriesPerStatement: number,
): Promise<void> {
  let afterId: number | undefined = 0;
  while (afterId !== undefined && orphans.size > 0) {
    if (signal?.aborted) {
      // After an incomplete check nothing may be deleted.
      orphans.clear();
      return;
    }
    // Keyset pagination.
    const lastId: number | undefined = await store.findRangeEnd(db, siteId, afterId, entriesPerStatement);
    const range = { afterId, lastId: lastId ?? MAX_ENTRY_ID };
    for (const id of await store.listReferencedFiles(db, siteId, range)) orphans.delete(id);
    afterId = lastId;
  }
}

/** Deletes files and lets their contents expire after the grace period of running backups. */
async function deleteFiles(
  { db, blobs }: Pick<CleanupContext, 'db' | 'blobs'>,
  { siteId, ids, before }: { siteId: number; ids: readonly number[]; before: Date },
): Promise<void> {
  const expiring = new Date(before.getTime() + BACKUP_GRACE_MS);
  // Before the files are deleted: after a crash in between, the grace period is not lost.
  for (const hash of await store.listFileHashes(db, siteId, ids)) {
    // A batch of small calls.
    await blobs.renew(getContentName(hash), expiring);
  }
  await withTransaction(db, {}, async (tx) => {
    await lockStorage(tx, siteId);
    await store.deleteFilesBefore(tx, siteId, ids, before);
  });
}

/**
 * Removes contents that belong to no file of any site: of refused uploads, and of deleted files. Does nothing if the
 * database knows none of the contents: then it is probably not the database of this folder (a wrong `DATABASE_URL`).
 */
async function removeContentsWithoutFile({ db, blobs, signal }: CleanupContext, before: Date): Promise<void> {
  if (!(await hasKnownContent(db, blobs))) return;
  await deleteBlobsBefore(blobs, REMOVED_PREFIX, before);
  for (let firstByte = 0; firstByte < CONTENT_FOLDERS; firstByte += 1) {
    if (signal?.aborted) return;
    const stored = await listStoredHashes(blobs, firstByte);
    if (stored.length === 0) continue;
    const used = await store.listHashesByFirstByte(db, firstByte);
    for (const hash of stored) {
      if (!used.has(hash)) await removeContent({ db, blobs }, hash, before);
    }
  }
}

/** Whether any stored content belongs to a file of the database. */
async function hasKnownContent(db: Db, blobs: BlobStore): Promise<boolean> {
  for (let firstByte = 0; firstByte < CONTENT_FOLDERS; firstByte += 1) {
    // Usually the first folder has one.
    const stored = await listStoredHashes(blobs, firstByte);
    if (stored.length === 0) continue;
    const used = await store.listHashesByFirstByte(db, firstByte);
    if (stored.some((hash) => used.has(hash))) return true;
  }
  return false;
}

/** Deletes the blobs of a folder that have not been modified since a time. */
async function deleteBlobsBefore(blobs: BlobStore, prefix: string, before: Date): Promise<void> {
  for await (const name of blobs.list(prefix)) {
    const info = await blobs.stat(name);
    if (info && info.modifiedAt < before) await blobs.delete(name);
  }
}

/**
 * Scheduled task that deletes files to which nothing has referred for 7 days, contents without a file (refused uploads), and
 * temporary and staged files of uploads after a day. Current values of entries, the last values of deleted entries and the log count as references,
 * so that history, restored entries and backups are complete. Several processes can run it at the same time. Uploads of the same
 * content are safe at any time: they renew the times that every step checks last (upsertFile, storeContents).
 */
export function deleteOrphanFilesTask(
  { db, services: { dataDir, blobs } }: { db: Db; services: Pick<Services, 'dataDir' | 'blobs'> },
  limits: CleanupLimits = { checkedFiles: MAX_CHECKED_FILES, entries: ENTRIES_PER_STATEMENT },
): ScheduledTask {
  const siteTask = createItemTask<FilesOfSite>(db, {
    name: 'delete orphan files',
    intervalMs: DAY_MS,
    async listItems() {
      const siteIds = await store.listSitesWithFilesBefore(db, getExpiryTime());
      return siteIds.map((siteId) => ({ siteId, item: '', afterId: 0 }));
    },
    runStep: (site, signal, siteDb) =>
      deleteFilesOfSite({ db: siteDb, blobs, signal }, site, getExpiryTime(), limits),
  });
  return {
    ...siteTask,
    async run(signal) {
      const outcome = await siteTask.run(signal);
      await removeContentsWithoutFile({ db, blobs, signal }, getExpiryTime());
      const yesterday = new Date(Date.now() - DAY_MS);
      await deleteBlobsBefore(blobs, STAGING_PREFIX, yesterday);
      await deleteAbandonedUploads(dataDir, yesterday);
      return outcome;
    },
  };
}
