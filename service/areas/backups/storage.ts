import { rm } from 'node:fs/promises';
import { StoreUnavailableError } from '../../kernel/files/blob-store.ts';
import { createFileFolder, type FilePlace } from '../../kernel/files/file-folder.ts';

/** Length of the random id with which the names of all files of a backup begin. */
const ID_LENGTH = 36;

/** Files of backups: a random id of the database and the number of the attempt that wrote the file. */
const getFolder = ({ dataDir, blobs }: FilePlace) =>
  createFileFolder({
    place: { dataDir, blobs },
    folder: 'backups',
    pattern: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(-\d+)?/,
    extension: '.zip',
  });

/** Name of the blob of a backup. */
export const getBackupName = (place: FilePlace, storageId: string): string =>
  getFolder(place).getBlobName(storageId);

/** Name of the file of one attempt to write a backup. */
export const buildAttemptName = (storageId: string, fence: number): string =>
  `${storageId.slice(0, ID_LENGTH)}-${fence}`;

/** Paths of an attempt while it is being written: its file and the record of what is finished in it. */
export const getAttemptPaths = (place: FilePlace, attempt: string): { archive: string; journal: string } => {
  const archive = getFolder(place).getPartialPath(attempt);
  return { archive, journal: `${archive}.journal` };
};

export const createBackupFolder = (place: FilePlace): Promise<void> => getFolder(place).create();

/** Stores the written file under its final name, durably, and deletes the record of its members. */
export async function publishBackupFile(
  place: FilePlace,
  attempt: string,
  content: { size: number; sha256: Buffer },
): Promise<void> {
  await getFolder(place).publish(attempt, content);
  await rm(getAttemptPaths(place, attempt).journal, { force: true });
}

/** Names of the attempts to write a backup that have left files, on this disk or stored, the latest first. */
export async function listAttempts(place: FilePlace, storageId: string): Promise<string[]> {
  const names = await getFolder(place).list(storageId.slice(0, ID_LENGTH));
  const getNumber = (name: string) => Number(name.slice(ID_LENGTH + 1));
  return [...names].toSorted((one, other) => getNumber(other) - getNumber(one));
}

/** Deletes the files of one attempt. */
export async function deleteAttempt(place: FilePlace, attempt: string): Promise<void> {
  await rm(getAttemptPaths(place, attempt).journal, { force: true });
  await getFolder(place).delete(attempt);
}

/** Deletes all files of a backup; what cannot be deleted now is deleted as a stray file. */
export async function deleteBackupFiles(place: FilePlace, storageId: string): Promise<void> {
  try {
    for (const attempt of await listAttempts(place, storageId)) await deleteAttempt(place, attempt);
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error;
  }
}

/**
 * Deletes files of no backup and folders of verifications that processes left behind when they died. `storageIds`: names of the files of
 * backups, and ids of those that are being made, all of whose attempts are in use.
 */
export const deleteStrayFiles = (place: FilePlace, storageIds: ReadonlySet<string>): Promise<void> =>
  getFolder(place).deleteStray((name) => storageIds.has(name) || storageIds.has(name.slice(0, ID_LENGTH)));
