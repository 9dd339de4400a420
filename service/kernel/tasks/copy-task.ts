/** Verified copies of the embedded database, made at intervals while it is in use. */
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openDatabase } from '../db/database.ts';
import { digestTable, listTables } from '../db/table-digest.ts';
import { getErrorCode } from '../error-code.ts';
import type { Log } from '../log.ts';
import type { ScheduledTask } from './scheduled-tasks.ts';

const KEPT_COPIES = 3;
const HOUR_MS = 3_600_000;
/** Timeout of the statements that read a table. */
const READ_TIMEOUT_MS = 600_000;
const PARTIAL = '.partial';
const NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ$/;

const formatName = (time: Date): string => time.toISOString().replace(/\.\d+/, '').replaceAll(':', '-');
const parseName = (name: string): Date => new Date(name.replace(/T(\d\d)-(\d\d)-(\d\d)Z/, 'T$1:$2:$3Z'));

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

/** Times of the verified copies in the folder, the oldest first; none if it does not exist. */
export async function listCopies(folder: string): Promise<Date[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (getErrorCode(error) === 'ENOENT') return [];
    throw error;
  });
  return names
    .filter((name) => NAME.test(name))
    .toSorted()
    .map(parseName);
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
      const name = formatName(now());
      const partial = join(folder, `${name}${PARTIAL}`);
      await copyTo(partial);
      const rows = await verifyCopy(partial);
      await rename(partial, join(folder, name));
      for (const old of copies.slice(0, Math.max(0, copies.length + 1 - KEPT_COPIES)))
        await rm(join(folder, formatName(old)), { recursive: true });
      log.info(
        { copy: name, rows, ms: Math.round(performance.now() - startedAt) },
        'The database was copied',
      );
      return undefined;
    },
  };
}
