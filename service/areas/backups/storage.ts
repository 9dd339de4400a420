import { rm } from 'node:fs/promises';
import { createFileFolder } from '../../kernel/file-folder.ts';

/** Length of the random id with which the names of all files of a backup begin. */
const ID_LENGTH = 36;

/** Files of backups: a random id of the database and the number of the attempt that wrote the file. */
const getFolder = (dataDir: string) =>
  createFileFolder({
    dataDir,
    folder: 'backups',
    pattern: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(-\d+)?/,
    extension: '.zip',
  });

/** Path of a backup's file. */
export const getBackupPath = (dataDir: string, storageId: string): string =>
  getFolder(dataDir).getPath(storageId);

/** Name of the file of one attempt to write a backup. */
export const buildAttemptName = (storageId: string, fence: number): string =>
  `${storageId.slice(0, ID_LENGTH)}-${fence}`;

/** Paths of an attempt while it is being written: its file and the record of what is finished in it. */
export const getAttemptPaths = (dataDir: string, attempt: string): { archive: string; journal: string } => {
  const archive = getFolder(dataDir).getPartialPath(attempt);
  return { archive, journal: `${archive}.journal` };
};

export const createBackupFolder = (dataDir: string): Promise<void> => getFolder(dataDir).create();

/** Gives the written file its final name, durably, and deletes the record of its members. */
export async function publishBackupFile(dataDir: string, attempt: string): Promise<void> {
  await getFolder(dataDir).publish(attempt);
  await rm(getAttemptPaths(dataDir, attempt).journal, { force: true });
}

/** Names of the attempts to write a backup that have left files, the latest first. */
export async function listAttempts(dataDir: string, storageId: string): Promise<string[]> {
  const id = storageId.slice(0, ID_LENGTH);
  const names = [...(await getFolder(dataDir).list())].filter((name) => name.startsWith(id));
  const getNumber = (name: string) => Number(name.slice(ID_LENGTH + 1));
  return names.toSorted((one, other) => getNumber(other) - getNumber(one));
}

/** Deletes the files of one attempt. */
export async function deleteAttempt(dataDir: string, attempt: string): Promise<void> {
  await getFolder(dataDir).delete(attempt);
  await rm(getAttemptPaths(dataDir, attempt).journal, { force: true });
}

/** Deletes all files of a backup. */
export async function deleteBackupFiles(dataDir: string, storageId: string): Promise<void> {
  for (const attempt of await listAttempts(dataDir, storageId)) await deleteAttempt(dataDir, attempt);
}

/**
 * Deletes files of no backup and folders of verifications that processes left behind when they died. `storageIds`: names of the files of
 * backups, and ids of those that are being made, all of whose attempts are in use.
 */
export const deleteStrayFiles = (dataDir: string, storageIds: ReadonlySet<string>): Promise<void> =>
  getFolder(dataDir).deleteStray((name) => storageIds.has(name) || storageIds.has(name.slice(0, ID_LENGTH)));
