/** A process that makes backups one after the other for ever, to be killed in the middle of it. */
import { makeNext } from '../areas/backups/make.ts';
import { hostActor, change } from '../kernel/change.ts';
import { queueBackup } from '../areas/backups/request.ts';
import { openDatabase } from '../kernel/db/database.ts';

async function makeForEver(dataDir: string, databaseUrl: string | undefined, siteId: number): Promise<never> {
  const { db } = await openDatabase({ databaseUrl, dataDir });
  const wanted = {
    siteId,
    typeIds: null,
    entryTypes: [],
    includesFiles: true,
    notify: false,
    isScheduled: false,
    requestedBy: null,
  };
  const services = { dataDir, publicUrl: '', wakeMail: () => {} };
  for (let made = 1; ; made += 1) {
    // oxlint-disable no-await-in-loop -- one after the other
    await change(db, hostActor(siteId), (tx, record) => queueBackup(tx, wanted, record));
    process.stdout.write(`${made}\n`);
    await makeNext({ db, services, signal: new AbortController().signal });
  }
}

if (import.meta.main) {
  const [, , dataDir = '', databaseUrl = '', task = '{}'] = process.argv;
  await makeForEver(dataDir, databaseUrl || undefined, (JSON.parse(task) as { siteId: number }).siteId);
}
