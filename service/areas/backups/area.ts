import { fileURLToPath } from 'node:url';
import { defineArea } from '../../kernel/area/area.ts';
import { plainColumns } from '../../kernel/backup-sheets.ts';
import { backupHandlers } from './index.ts';
import { BACKUP_MAIL_EXAMPLES } from './mails.ts';
import { backupJob } from './make-backup.ts';
import { createBackupTasks } from './scheduled-tasks.ts';

/** The steward command, which restores a backup into a temporary database to verify it; a process of its own. */
const RESTORE_COMMAND = fileURLToPath(new URL('../../cli/steward.ts', import.meta.url));

export const backupsArea = defineArea({
  name: 'backups',
  handlers: backupHandlers,
  jobKinds: [backupJob],
  tasks: (context) => createBackupTasks({ ...context, restoreCommand: RESTORE_COMMAND }),
  mailExamples: BACKUP_MAIL_EXAMPLES,
  tables: {
    backup: { backup: { leftOut: 'belongs to the disk with the files' } },
    backup_download: { backup: { leftOut: 'belongs to the disk with the files' } },
    backup_settings: { backup: { sheet: 'schedule', columnsLeftOut: ['last_day'] } },
  },
  sheets: {
    schedule: {
      name: 'settings/backups.csv',
      kind: 'settings',
      from: 'backup_settings',
      columns: plainColumns('is_daily', 'hour', 'keep_days', 'include_files', 'verify'),
    },
  },
  auditActions: {
    backup: [
      'backup.cancel',
      'backup.delete',
      'backup.download',
      'backup.download-link',
      'backup.download-refused',
      'backup.failed',
      'backup.ready',
      'backup.request',
      'backup.verified',
      'backup.verify',
    ],
    site: ['backup.settings', 'cli.restore'],
  },
});
