import { downloadHandlers } from './downloads.ts';
import { backupHandlers as requestHandlers } from './handlers.ts';
import { backupSettingsHandlers } from './schedule.ts';
export { queueBackup, resolveEntryTypes } from './queue-backup.ts';
export type { Manifest, Member } from './file/manifest.ts';
export { type BackupFile, openBackup, InvalidBackupError } from './file/read-backup.ts';
export {
  listColumns,
  buildEntriesPath,
  buildFilePath,
  FILES_SHEET,
  FORMER_USERS_SHEET,
} from './file/sheets.ts';
export {
  sortFieldsById,
  buildFileSheet,
  isStoredAsText,
  buildSheets,
  readWindows,
} from './file/snapshot.store.ts';

export const backupHandlers = { ...requestHandlers, ...downloadHandlers, ...backupSettingsHandlers };
