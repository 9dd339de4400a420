import type { GetBackupsResponse } from '../../../../contract/generated/types.gen.ts';
import { listBackupsOptions } from '../../../api/generated/queries/backups.gen.ts';

/** A backup as listed. Properties that other installations do not send are undefined. */
export type Backup = GetBackupsResponse & {
  status: NonNullable<GetBackupsResponse['status']>;
  progress: number;
};

const POLL_INTERVAL_MS = 1500;

/** Fills in the state: an installation without states lists a backup once its file exists (shapes 3). */
const toBackup = (one: GetBackupsResponse): Backup => ({
  ...one,
  status: one.status ?? 'Ready',
  progress: one.progress ?? 0,
});

/** Converts the response of the list; a bare array is accepted too (shapes 3). */
export function toBackups(answer: { data: readonly GetBackupsResponse[] } | readonly GetBackupsResponse[]) {
  const all = 'data' in answer ? answer.data : answer;
  return all.map(toBackup);
}

/** Whether the backup or its verification is in progress, so that the list must be polled. */
const isPending = ({ status, verified }: Backup): boolean =>
  isInProgress({ status }) || verified?.state === 'queued' || verified?.state === 'running';

/** Whether the backup is queued or being created. */
export const isInProgress = ({ status }: Pick<Backup, 'status'>): boolean =>
  status === 'Queued' || status === 'Running';

/** Loads all backups of the site, newest first, and polls while one of them is in progress. */
export const backupsQuery = {
  ...listBackupsOptions(),
  select: toBackups,
  staleTime: POLL_INTERVAL_MS / 2,
  refetchInterval: ({ state: { data } }: { state: { data?: Parameters<typeof toBackups>[0] | undefined } }) =>
    data && toBackups(data).some(isPending) ? POLL_INTERVAL_MS : false,
} as const;

const getScopeKey = ({ isWholeSite, entryTypes = [], includesFiles = false }: Backup): string =>
  JSON.stringify([includesFiles, isWholeSite === true || entryTypes.toSorted()]);

/** Whether two backups cover the same entry types and files; otherwise their differences are no anomalies. */
export const haveSameScope = (one: Backup, other: Backup): boolean => getScopeKey(one) === getScopeKey(other);

/** The earlier backup to compare with: the latest of the same scope, or the latest of all. */
export function findPrevious(all: readonly Backup[], backup: Backup): Backup | undefined {
  const { createdDate: before = '' } = backup;
  const earlier = all
    .filter(({ status, createdDate = '' }) => status === 'Ready' && createdDate < before)
    .toSorted((a, b) => (b.createdDate ?? '').localeCompare(a.createdDate ?? ''));
  return earlier.find((one) => haveSameScope(one, backup)) ?? earlier[0];
}
