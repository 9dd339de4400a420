import { listBackupsOptions } from '../../../api/generated/@tanstack/react-query.gen.ts';
import type { GetBackupsResponse } from '../../../api/generated/types.gen.ts';

/** A backup with everything that our service tells of it; what another installation leaves out is undefined here. */
export type Backup = GetBackupsResponse & {
  status: NonNullable<GetBackupsResponse['status']>;
  progress: number;
};

const WATCH_MS = 1500;

/** An installation without states lists a backup when its file is there (shapes 3). */
const whole = (one: GetBackupsResponse): Backup => ({
  ...one,
  status: one.status ?? 'Ready',
  progress: one.progress ?? 0,
});

/** What the service answers to a list; readers also accept a bare array (shapes 3). */
export function readBackups(answer: { data: readonly GetBackupsResponse[] } | readonly GetBackupsResponse[]) {
  const all = 'data' in answer ? answer.data : answer;
  return all.map(whole);
}

/** Whether something goes on with it that is worth looking again soon. */
const isLive = ({ status, verified }: Backup): boolean =>
  isBeingMade({ status }) || verified?.state === 'queued' || verified?.state === 'running';

/** Whether it is still on its way. */
export const isBeingMade = ({ status }: Pick<Backup, 'status'>): boolean =>
  status === 'Queued' || status === 'Running';

/** Every backup of the site, newest first; read again while one of them is on its way. */
export const backupsQuery = {
  ...listBackupsOptions(),
  select: readBackups,
  staleTime: WATCH_MS / 2,
  refetchInterval: ({
    state: { data },
  }: {
    state: { data?: Parameters<typeof readBackups>[0] | undefined };
  }) => (data && readBackups(data).some(isLive) ? WATCH_MS : false),
} as const;

const scopeOf = ({ isWholeSite, entryTypes = [], includesFiles = false }: Backup): string =>
  JSON.stringify([includesFiles, isWholeSite === true || entryTypes.toSorted()]);

/** Whether two backups were asked for the same, files or not: only then a missing member is missing. */
export const haveOneScope = (one: Backup, other: Backup): boolean => scopeOf(one) === scopeOf(other);

/** The backup made before this one that it is best compared with: the last of the same scope, or else the last. */
export function previousOf(all: readonly Backup[], backup: Backup): Backup | undefined {
  const { createdDate: before = '' } = backup;
  const earlier = all
    .filter(({ status, createdDate = '' }) => status === 'Ready' && createdDate < before)
    .toSorted((a, b) => (b.createdDate ?? '').localeCompare(a.createdDate ?? ''));
  return earlier.find((one) => haveOneScope(one, backup)) ?? earlier[0];
}
