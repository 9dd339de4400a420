/** Verified copies of the embedded database, made at intervals while it is in use. */
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openDatabase } from '../db/database.ts';
import { formatCopyName, listCopies } from '../db/pglite/copies.ts';
import { digestTable, listTables } from '../db/table-digest.ts';
import type { Log } from '../telemetry/log.ts';
import type { ScheduledTask } from './scheduled-tasks.ts';

const KEPT_COPIES = 3;
const HOUR_MS = 3_600_000;
/** Timeout of the statements that read a table. */
const READ_TIMEOUT_MS = 600_000;
const PARTIAL = '.partial';

/** Opens a copy and reads all rows. @returns their number. @throws Error when it cannot be opened or read */
async function verifyCopy(folder: string): Promise<number> {
  const { db, close } = await openDatabase({
    databaseUrl: undefined,
    dataDir: folder,
    limits: { statementMs: READ_TIMEOUT_MS },
  });
  try {
    let rows = 0;
    for (const table of await listTables(db)) rows += (await digestTable(db, table)).rows;
    return rows;
  } finally {
    await close();
  }
}

/**
 * Creates the task. A copy has another name until it was verified; the oldest beyond three are deleted. After a restart the next copy
 * is made when the newest one is old enough.
 */
export function createCopyTask({
  folder,
  hours,
  copyTo,
  log,
  now = () => new Date(),
}: {
  folder: string;
  hours: number;
  copyTo: (dataDir: string) => Promise<void>;
  log: Pick<Log, 'info'>;
  now?: () => Date;
}): ScheduledTask {
  const intervalMs = hours * HOUR_MS;
  return {
    name: 'copies of the database',
    intervalMs,
    async run() {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      for (const name of await readdir(folder))
        if (name.endsWith(PARTIAL)) await rm(join(folder, name), { recursive: true });
      const copies = await listCopies(folder);
      const ageMs = now().getTime() - (copies.at(-1)?.getTime() ?? -Infinity);
      if (ageMs < intervalMs) return { runAgainInMs: intervalMs - ageMs };
      const startedAt = performance.now();
      const name = formatCopyName(now());
      const partial = join(folder, `${name}${PARTIAL}`);
      await copyTo(partial);
      const rows = await verifyCopy(partial);
      await rename(partial, join(folder, name));
      for (const old of copies.slice(0, Math.max(0, copies.length + 1 - KEPT_COPIES)))
        await rm(join(folder, formatCopyName(old)), { recursive: true });
      log.info(
        { copy: name, rows, ms: Math.round(performance.now() - startedAt) },
        'The database was copied',
      );
      return undefined;
    },
  };
}
