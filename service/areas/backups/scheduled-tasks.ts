import type { Db } from '../../kernel/db/database.ts';
import type { Services } from '../../kernel/http/handler.ts';
import type { ScheduledTask } from '../../kernel/jobs/scheduled-tasks.ts';
import * as store from './backups.store.ts';
import { failLostBackups, makeNextBackup } from './make-backup.ts';
import { deleteExpiredBackups, queueDueBackups } from './schedule.ts';
import { deleteStrayFiles } from './storage.ts';
import { restoreInChildProcess, VERIFY_BACKUPS_TASK, verifyNextBackup } from './verify.ts';

/** Name under which a backup request wakes the task. */
export const MAKE_BACKUPS_TASK = 'backups';
const MINUTE_MS = 60_000;

/** For callers without a shutdown. */
const NEVER_ABORTED = new AbortController().signal;

interface TaskContext {
  db: Db;
  services: Services;
  /** Path of the command that restores a backup (cli/restore.ts). */
  restoreCommand: string;
}

/**
 * Scheduled tasks that make queued backups one after the other, fail lost ones, queue daily ones, delete expired ones,
 * and verify backups.
 */
export const createBackupTasks = ({
  db,
  services,
  restoreCommand,
}: TaskContext): readonly ScheduledTask[] => [
  {
    name: MAKE_BACKUPS_TASK,
    intervalMs: 10_000,
    async run(signal = NEVER_ABORTED) {
      while (!signal.aborted && (await makeNextBackup({ db, services, signal })));
    },
  },
  { name: 'lost backups', intervalMs: 10_000, run: () => failLostBackups({ db, services }) },
  {
    name: 'backup schedule',
    intervalMs: MINUTE_MS,
    async run() {
      await deleteExpiredBackups({ db, services });
      if (await queueDueBackups(db)) services.wakeTask(MAKE_BACKUPS_TASK);
      const storageIds = await store.listStorageIds(db);
      await deleteStrayFiles(services.dataDir, (storageId) => storageIds.has(storageId));
    },
  },
  {
    name: VERIFY_BACKUPS_TASK,
    intervalMs: 30_000,
    async run(signal = NEVER_ABORTED) {
      const restore = restoreInChildProcess(restoreCommand);
      while (!signal.aborted && (await verifyNextBackup({ db, services, signal, restore })));
    },
  },
];
