import { createHash, randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type BackupFile,
  buildFileSheet,
  InvalidBackupError,
  buildSheets,
  readWindows,
} from '../../areas/backups/index.ts';
import { registry } from '../../areas/registry.ts';
import { loadSchema } from '../../areas/schema/index.ts';
import { createFolder } from '../../kernel/create-folder.ts';
import { type Db, readInSnapshot } from '../../kernel/db/database.ts';
import { createFolderStore } from '../../kernel/files/folder-store.ts';
import { restoreBackup } from './restore-backup.ts';
import { getMember } from './sheets.ts';
import { openRestoreTarget } from './target.ts';

const tableSheets = Object.values(registry.sheets);

/** Hash and number of rows of each sheet of a site, in a format version of backups. */
export async function computeSheetDigests(
  db: Db,
  siteId: number,
  format?: number,
): Promise<Map<string, { rows: number; sha256: string }>> {
  return readInSnapshot(db, async (tx) => {
    const { types } = await loadSchema(tx, siteId);
    const digests = new Map<string, { rows: number; sha256: string }>();
    for (const sheet of [
      ...buildSheets(tableSheets, siteId, types, true, format),
      buildFileSheet(siteId, types, true),
    ]) {
      const hash = createHash('sha256').update(sheet.header);
      let rows = 0;
      for await (const window of readWindows(tx, sheet)) {
        hash.update(window.text);
        rows += window.rows;
      }
      digests.set(sheet.name, { rows, sha256: hash.digest('hex') });
    }
    return digests;
  });
}

/** Exit code of a verification whose service ended. */
export const ENDED_EARLY = 3;

/**
 * Restores a backup into a temporary database and compares the result with the manifest, sheet by sheet.
 * @throws InvalidBackupError that says what differs
 */
export async function verifyBackup(file: BackupFile, dataDir: string, signal?: AbortSignal): Promise<void> {
  const folder = join(dataDir, 'backups', `check-${randomUUID()}`);
  await createFolder(folder);
  // The thread of the database may still write.
  const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 5 });
  const endProcess = () => process.exit(typeof signal?.reason === 'number' ? signal.reason : ENDED_EARLY);
  signal?.addEventListener('abort', () => void remove().finally(endProcess), { once: true });
  try {
    const target = await openRestoreTarget({ databaseUrl: undefined, dataDir: folder });
    try {
      // The home site of users whose home site is not the one in the backup.
      const foreignHomeSite = {
        slug: `elsewhere-${randomUUID()}`,
        name: 'Elsewhere',
        dedicated_domain: null,
      };
      const { site_id: foreignHomeSiteId } = await target.db
        .insertInto('site')
        .values(foreignHomeSite)
        .returning('site_id')
        .executeTakeFirstOrThrow();
      const { slug } = file.manifest.site;
      await restoreBackup(target, file, {
        dataDir: folder,
        blobs: createFolderStore(folder),
        slug,
        verification: { foreignHomeSiteId },
      });
      const { site_id: siteId } = await target.db
        .selectFrom('site')
        .select('site_id')
        .where('slug', '=', slug)
        .executeTakeFirstOrThrow();
      requireSameSheets(file, await computeSheetDigests(target.db, siteId, file.manifest.formatVersion));
    } finally {
      await target.close();
    }
  } finally {
    await remove();
  }
}

function requireSameSheets(
  file: BackupFile,
  restored: ReadonlyMap<string, { rows: number; sha256: string }>,
): void {
  const differences = [...restored].flatMap(([name, { rows, sha256 }]) => {
    const member = getMember(file, name);
    if (member.rows !== rows) return [`${name} has ${rows} rows instead of ${member.rows}`];
    return member.sha256 === sha256 ? [] : [`${name} has other contents`];
  });
  const missing = file.manifest.members.filter(({ name, kind }) => kind !== 'file' && !restored.has(name));
  const all = [...differences, ...missing.map(({ name }) => `${name} was not restored`)];
  if (all.length > 0)
    throw new InvalidBackupError(`The restored backup differs from its manifest: ${all.join(', ')}`);
}
