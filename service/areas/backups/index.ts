import { downloadHandlers } from './downloads.ts';
import { backupHandlers as requestHandlers } from './handlers.ts';
import { backupSettingsHandlers } from './settings.ts';

export { backupChores } from './chores.ts';
export type { Manifest, Member } from './manifest.ts';
export { type BackupFile, openBackup, RefusedFile } from './read.ts';
export { columnsOf, entriesPath, filePath, FILES, FORMER, SHEETS, type TableSheet } from './sheets.ts';
export { fieldsOf, fileSheet, inSnapshot, isPlainText, sheetsOf, windowsOf } from './snapshot.store.ts';

export const backupHandlers = { ...requestHandlers, ...downloadHandlers, ...backupSettingsHandlers };
