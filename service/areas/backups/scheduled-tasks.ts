import type { Db } from '../../kernel/db/database.ts';
import type { Services } from '../../kernel/http/handler.ts';
import { NEVER_ABORTED, type ScheduledTask } from '../../kernel/tasks/scheduled-tasks.ts';
import * as store from './backups.store.ts';
import { createBackupRetentionTask, createBackupScheduleTask } from './schedule.ts';
import { deleteStrayFiles } from './storage.ts';
import { restoreInChildProcess, VERIFY_BACKUPS_TASK, verifyNextBackup } from './verify.ts';

const MINUTE_MS = 60_000;

interface TaskContext {
  db: Db;
  services: Services;
  /** Path of the command that restores a backup (cli/steward.ts). */
  restoreCommand: string;
}

/** Scheduled tasks that queue daily backups, delete expired ones, and verify backups. Jobs make them. */
export const createBackupTasks = ({
  db,
  services,
  restoreCommand,
}: TaskContext): readonly ScheduledTask[] => [
  createBackupRetentionTask({ db, services }),
  createBackupScheduleTask({ db, services }),
  {
    name: 'stray backup files',
    intervalMs: MINUTE_MS,
    async run() {
      await deleteStrayFiles(services, await store.listStorageIds(db));
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
