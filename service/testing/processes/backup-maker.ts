/** Process that makes backups one after the other, to be killed at a random time. */
import { queueBackup } from '../../areas/backups/queue-backup.ts';
import { createHostActor, change } from '../../kernel/audit/change.ts';
import { openDatabase } from '../../kernel/db/database.ts';
import { makeQueuedBackups } from '../backups.ts';
import { createFolderPlace } from '../files/file-place.ts';

async function makeBackupsForever(
  dataDir: string,
  databaseUrl: string | undefined,
  siteId: number,
): Promise<never> {
  const { db } = await openDatabase({ databaseUrl, dataDir });
  const backup = {
    siteId,
    typeIds: null,
    entryTypes: [],
    includesFiles: true,
    notify: false,
    isScheduled: true,
    requestedBy: null,
  };
  for (let count = 1; ; count += 1) {
    await change(db, createHostActor(siteId), (tx, record) => queueBackup(tx, backup, record, undefined));
    process.stdout.write(`${count}\n`);
    await makeQueuedBackups(db, { place: createFolderPlace(dataDir) });
  }
}

if (import.meta.main) {
  const [, , dataDir = '', databaseUrl = '', task = '{}'] = process.argv;
  await makeBackupsForever(
    dataDir,
    databaseUrl || undefined,
    (JSON.parse(task) as { siteId: number }).siteId,
  );
}
