import type { Db } from '../../kernel/db/database.ts';
import type { Services } from '../../kernel/http/handler.ts';
import { NEVER_ABORTED, type ScheduledTask } from '../../kernel/tasks/scheduled-tasks.ts';
import * as store from './backups.store.ts';
import { createLostBackupsTask, makeNextBackup } from './make-backup.ts';
import { createBackupRetentionTask, createBackupScheduleTask, MAKE_BACKUPS_TASK } from './schedule.ts';
import { deleteStrayFiles } from './storage.ts';
import { restoreInChildProcess, VERIFY_BACKUPS_TASK, verifyNextBackup } from './verify.ts';

const MINUTE_MS = 60_000;

interface TaskContext {
  db: Db;
  services: Services;
  /** Path of the command that restores a backup (cli/steward.ts). */
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
  createLostBackupsTask({ db, services }),
  createBackupRetentionTask({ db, services }),
  createBackupScheduleTask({ db, services }),
  {
    name: 'stray backup files',
    intervalMs: MINUTE_MS,
    async run() {
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
