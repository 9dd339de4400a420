import { createFileFolder } from '../../kernel/file-folder.ts';

/** Files of backups, named by a random id of the database. */
const getFolder = (dataDir: string) =>
  createFileFolder({
    dataDir,
    folder: 'backups',
    pattern: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/,
    extension: '.zip',
  });

/** Path of a backup's file. */
export const getBackupPath = (dataDir: string, storageId: string): string =>
  getFolder(dataDir).getPath(storageId);

/** Path of the file while it is being written. */
export const getPartialPath = (dataDir: string, storageId: string): string =>
  getFolder(dataDir).getPartialPath(storageId);

export const createBackupFolder = (dataDir: string): Promise<void> => getFolder(dataDir).create();

/** Gives the written file its final name, durably. */
export const publishBackupFile = (dataDir: string, storageId: string): Promise<void> =>
  getFolder(dataDir).publish(storageId);

/** Deletes all files of a backup. */
export const deleteBackupFiles = (dataDir: string, storageId: string): Promise<void> =>
  getFolder(dataDir).delete(storageId);

/** Deletes files of no backup and folders of verifications that processes left behind when they died. */
export const deleteStrayFiles = (dataDir: string, isInUse: (storageId: string) => boolean): Promise<void> =>
  getFolder(dataDir).deleteStray(isInUse);
