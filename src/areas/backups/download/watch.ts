import type { QueryClient } from '@tanstack/react-query';
import { markStale } from '../../../api/effects.ts';
import { toServiceError } from '../../../api/errors.ts';
import { cancelBackup } from '../../../api/generated/sdk.gen.ts';
import { forgetJob, reportJob } from '../../../app/jobs/jobs.ts';
import { toast } from '../../../ui/feedback/toast.ts';
import { startDownload } from './download.ts';
import { backupsQuery, isBeingMade, readBackups } from './list.ts';
import type { Backup } from './list.ts';
import { sizeWords } from './units.ts';
import { dropWatched, keepWatched, watchedNames } from './watched.ts';

const EVERY_MS = 1500;
const AWAY_MS = 5000;

const watched = new Set<string>();
const idOf = (fileName: string): string => `backup ${fileName}`;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** What is being written, for a row and for the tray. */
export const stageWords = ({ status, stage }: Pick<Backup, 'status' | 'stage'>): string =>
  status === 'Queued' ? 'Waits for its turn' : (stage ?? 'Being written');

/** Why there is no file. */
export const failureWords = ({ failure }: Pick<Backup, 'failure'>): string =>
  failure?.reason === 'cancelled' ? 'Cancelled' : (failure?.message ?? 'The reason is not known');

/** Looks again and again until there is nothing more to come; `see` is told each time and says whether that is so. */
async function follow(fileName: string, client: QueryClient, see: (now: Backup | undefined) => boolean) {
  if (watched.has(fileName)) return;
  watched.add(fileName);
  try {
    for (;;) {
      // One look after the other.
      // oxlint-disable-next-line no-await-in-loop
      const now = await look(fileName, client);
      if (now !== 'away' && see(now)) return;
      // oxlint-disable-next-line no-await-in-loop
      await pause(now === 'away' ? AWAY_MS : EVERY_MS);
    }
  } finally {
    watched.delete(fileName);
  }
}

/**
 * Follows a backup to its end, wherever the person goes meanwhile: in the tray while it is made, and a message when it
 * is ready.
 */
export async function watchBackup(fileName: string, client: QueryClient): Promise<void> {
  keepWatched(fileName);
  await follow(fileName, client, (now) => {
    if (now) show(now, client);
    else forgetJob(idOf(fileName));
    if (now && isBeingMade(now)) return false;
    dropWatched(fileName);
    if (now) tellEnd(now, client);
    return true;
  });
}

/** Goes on after a reload, on whatever page. */
export function watchOn(client: QueryClient): void {
  for (const fileName of watchedNames()) void watchBackup(fileName, client);
}

/** Follows a verification to its end, and says what came of it. */
export const watchVerification = (fileName: string, client: QueryClient): Promise<void> =>
  follow(fileName, client, (now) => {
    const { state, message } = now?.verified ?? {};
    if (state === 'passed') toast({ title: 'The backup is verified', description: fileName });
    else if (state === 'failed')
      toast({ title: `Not proved: ${fileName}`, description: message ?? 'It differs', tone: 'bad' });
    return state !== 'queued' && state !== 'running';
  });

/** The backup as it is now; undefined where it is gone or no longer to be seen. */
async function look(fileName: string, client: QueryClient): Promise<Backup | 'away' | undefined> {
  try {
    const answer = await client.fetchQuery({
      queryKey: backupsQuery.queryKey,
      queryFn: backupsQuery.queryFn,
      staleTime: EVERY_MS / 2,
    });
    return readBackups(answer).find((one) => one.fileName === fileName);
  } catch (thrown) {
    const { status } = toServiceError(thrown);
    return status === 0 || status === 429 || status >= 500 ? 'away' : undefined;
  }
}

function show(backup: Backup, client: QueryClient): void {
  const { fileName, status, progress } = backup;
  const id = idOf(fileName);
  const title = `Back up to ${fileName}`;
  if (isBeingMade(backup)) {
    const actions = [{ label: 'Cancel', onSelect: () => void cancel(fileName, client) }];
    const result = stageWords(backup);
    reportJob({
      id,
      title,
      state: 'running',
      goesOnWithout: true,
      progress: progress / 100,
      result,
      actions,
    });
  } else if (status === 'Ready') {
    const actions = [{ label: 'Download', onSelect: () => void startDownload(backup, client) }];
    reportJob({ id, title, state: 'done', result: `Ready, ${sizeWords(backup.size ?? 0)}`, actions });
  } else reportJob({ id, title, state: 'failed', result: failureWords(backup) });
}

function tellEnd(backup: Backup, client: QueryClient): void {
  const { fileName, status, failure } = backup;
  if (status === 'Ready')
    toast({
      title: 'The backup is ready',
      description: `${fileName}, ${sizeWords(backup.size ?? 0)}`,
      action: { label: 'Download', onSelect: () => void startDownload(backup, client) },
    });
  // Whoever cancelled it knows.
  else if (failure?.reason !== 'cancelled')
    toast({ title: `No backup: ${fileName}`, description: failureWords(backup), tone: 'bad' });
}

/** Cancels a backup; says so where that fails. */
export async function cancel(fileName: string, client: QueryClient): Promise<void> {
  try {
    await cancelBackup({ path: { fileName } });
  } catch (thrown) {
    const { message } = toServiceError(thrown);
    toast({ title: `${fileName} was not cancelled`, description: message, tone: 'bad' });
  }
  await markStale(client, 'cancelBackup');
}
