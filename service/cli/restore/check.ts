import { createHash, randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type BackupFile,
  fileSheet,
  inSnapshot,
  RefusedFile,
  sheetsOf,
  windowsOf,
} from '../../areas/backups/index.ts';
import { loadSchema } from '../../areas/schema/index.ts';
import type { Db } from '../../kernel/db/database.ts';
import { memberCalled } from './sheets.ts';
import { restoreBackup } from './run.ts';
import { openTarget } from './target.ts';

/** The hash and the rows of each sheet of a site, as backups of a format have them. */
export async function digestsOf(
  db: Db,
  siteId: number,
  format?: number,
): Promise<Map<string, { rows: number; sha256: string }>> {
  return inSnapshot(db, async (tx) => {
    const { types } = await loadSchema(tx, siteId);
    const digests = new Map<string, { rows: number; sha256: string }>();
    for (const sheet of [...sheetsOf(siteId, types, true, format), fileSheet(siteId, types, true)]) {
      const hash = createHash('sha256').update(sheet.header);
      let rows = 0;
      for await (const window of windowsOf(tx, sheet)) {
        hash.update(window.text);
        rows += window.rows;
      }
      digests.set(sheet.name, { rows, sha256: hash.digest('hex') });
    }
    return digests;
  });
}

/**
 * Restores a backup into a database that is made for it and thrown away, and compares what stands there with the
 * manifest, sheet by sheet.
 * @throws RefusedFile that says what differs
 */
export async function checkBackup(file: BackupFile, dataDir: string, signal?: AbortSignal): Promise<void> {
  const folder = join(dataDir, 'backups', `check-${randomUUID()}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const remove = () => rm(folder, { recursive: true, force: true });
  signal?.addEventListener('abort', () => void remove().finally(() => process.exit(3)), { once: true });
  try {
    const target = await openTarget({ databaseUrl: undefined, dataDir: folder });
    try {
      // People whose own site is another one have one here as well.
      const elsewhere = { slug: `elsewhere-${randomUUID()}`, name: 'Elsewhere', dedicated_domain: null };
      const { site_id: homeOfStrangers } = await target.db
        .insertInto('site')
        .values(elsewhere)
        .returning('site_id')
        .executeTakeFirstOrThrow();
      const { slug } = file.manifest.site;
      await restoreBackup(target, file, { dataDir: folder, slug, check: { homeOfStrangers } });
      const { site_id: siteId } = await target.db
        .selectFrom('site')
        .select('site_id')
        .where('slug', '=', slug)
        .executeTakeFirstOrThrow();
      compare(file, await digestsOf(target.db, siteId, file.manifest.formatVersion));
    } finally {
      await target.close();
    }
  } finally {
    await remove();
  }
}

function compare(file: BackupFile, restored: ReadonlyMap<string, { rows: number; sha256: string }>): void {
  const differences = [...restored].flatMap(([name, { rows, sha256 }]) => {
    const member = memberCalled(file, name);
    if (member.rows !== rows) return [`${name} has ${rows} rows instead of ${member.rows}`];
    return member.sha256 === sha256 ? [] : [`${name} has other contents`];
  });
  const missing = file.manifest.members.filter(({ name, kind }) => kind !== 'file' && !restored.has(name));
  const all = [...differences, ...missing.map(({ name }) => `${name} was not restored`)];
  if (all.length > 0) throw new RefusedFile(`Restored, the backup is not what it tells: ${all.join(', ')}`);
}
