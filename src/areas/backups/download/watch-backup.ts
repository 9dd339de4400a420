import type { QueryClient } from '@tanstack/react-query';
import { toServiceError } from '../../../api/errors.ts';
import { cancelBackup } from '../../../api/generated/sdk/backups.gen.ts';
import { invalidateAfter } from '../../../api/invalidation.ts';
import { getCurrentIdentity, isPageActing, requireIdentity } from '../../../api/session-state.ts';
import type { SessionIdentity } from '../../../api/session-state.ts';
import { removeJob, upsertJob } from '../../../app/jobs/jobs.ts';
import { formatSize } from '../../../lib/sizes.ts';
import { toast } from '../../../ui/toast.ts';
import { backupsQuery, isInProgress, toBackups } from '../model/backups.ts';
import type { Backup } from '../model/backups.ts';
import { formatFailure, formatStage } from '../model/format.ts';
import { startDownload } from './download.ts';

const POLL_INTERVAL_MS = 1500;
const UNAVAILABLE_INTERVAL_MS = 5000;

const polling = new Set<string>();
const getJobId = (fileName: string): string => `backup ${fileName}`;
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Polls a backup until `onUpdate` returns true, with undefined if the backup was deleted or the identity of the page has
 * changed: nothing begun while acting is continued in the user's own name. Does nothing if the backup is polled already.
 */
async function poll(fileName: string, client: QueryClient, onUpdate: (now: Backup | undefined) => boolean) {
  if (polling.has(fileName)) return;
  polling.add(fileName);
  const identity = getCurrentIdentity();
  try {
    for (;;) {
      // Requests are sequential.
      const now = await loadBackup(fileName, client, identity);
      if (now !== 'unavailable' && onUpdate(now)) return;
      await wait(now === 'unavailable' ? UNAVAILABLE_INTERVAL_MS : POLL_INTERVAL_MS);
    }
  } finally {
    polling.delete(fileName);
  }
}

/** Shows the progress of a backup in the job center until it ends, on any page, and then shows a message. */
export async function watchBackup(fileName: string, client: QueryClient): Promise<void> {
  addWatchedName(fileName);
  await poll(fileName, client, (now) => {
    if (now) showJob(now, client);
    else removeJob(getJobId(fileName));
    if (now && isInProgress(now)) return false;
    removeWatchedName(fileName);
    if (now) notifyEnd(now, client);
    return true;
  });
}

/** Resumes watching after a reload. */
export function resumeWatching(client: QueryClient): void {
  for (const fileName of loadWatchedNames()) void watchBackup(fileName, client);
}

/** Watches a verification and shows a message with its result. */
export const watchVerification = (fileName: string, client: QueryClient): Promise<void> =>
  poll(fileName, client, (now) => {
    const { state, message } = now?.verified ?? {};
    if (state === 'passed') toast({ title: 'The backup is verified', description: fileName });
    else if (state === 'failed')
      toast({
        title: `Verification failed: ${fileName}`,
        description: message ?? 'The contents differ',
        tone: 'bad',
      });
    return state !== 'queued' && state !== 'running';
  });

/** Loads a backup; undefined if it was deleted or is no longer visible, or if the page has another identity. */
async function loadBackup(
  fileName: string,
  client: QueryClient,
  identity: SessionIdentity | undefined,
): Promise<Backup | 'unavailable' | undefined> {
  try {
    requireIdentity(identity);
    const answer = await client.fetchQuery({
      queryKey: backupsQuery.queryKey,
      queryFn: backupsQuery.queryFn,
      staleTime: POLL_INTERVAL_MS / 2,
    });
    // Acting can end while the call is answered.
    requireIdentity(identity);
    return toBackups(answer).find((one) => one.fileName === fileName);
  } catch (error) {
    const { status } = toServiceError(error);
    return status === 0 || status === 429 || status >= 500 ? 'unavailable' : undefined;
  }
}

function showJob(backup: Backup, client: QueryClient): void {
  const { fileName, status, progress } = backup;
  const id = getJobId(fileName);
  const title = `Back up to ${fileName}`;
  if (isInProgress(backup)) {
    const actions = [{ label: 'Cancel', onSelect: () => void cancelInProgress(fileName, client) }];
    const result = formatStage(backup);
    upsertJob({
      id,
      title,
      state: 'running',
      runsOnService: true,
      progress: progress / 100,
      result,
      actions,
    });
  } else if (status === 'Ready') {
    const actions = [{ label: 'Download', onSelect: () => void startDownload(backup, client) }];
    upsertJob({ id, title, state: 'done', result: `Ready, ${formatSize(backup.size ?? 0)}`, actions });
  } else upsertJob({ id, title, state: 'failed', result: formatFailure(backup) });
}

function notifyEnd(backup: Backup, client: QueryClient): void {
  const { fileName, status, failure } = backup;
  if (status === 'Ready')
    toast({
      title: 'The backup is ready',
      description: `${fileName}, ${formatSize(backup.size ?? 0)}`,
      action: { label: 'Download', onSelect: () => void startDownload(backup, client) },
    });
  // A cancellation needs no message.
  else if (failure?.reason !== 'cancelled')
    toast({ title: `Backup failed: ${fileName}`, description: formatFailure(backup), tone: 'bad' });
}

/** Cancels a backup; shows a message if that fails. */
export async function cancelInProgress(fileName: string, client: QueryClient): Promise<void> {
  try {
    await cancelBackup({ path: { fileName } });
  } catch (error) {
    const { message } = toServiceError(error);
    toast({ title: `${fileName} was not cancelled`, description: message, tone: 'bad' });
  }
  await invalidateAfter(client, 'cancelBackup');
}

const STORAGE_KEY = 'steward-backups-watched';

/** File names of the backups this tab watches, stored for a reload. */
export function loadWatchedNames(): string[] {
  const stored: unknown = JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? '[]');
  return Array.isArray(stored) ? stored.filter((name) => typeof name === 'string') : [];
}

/** Stores a watched name for a reload; not while acting, because the job would be offered in the user's own name. */
export function addWatchedName(fileName: string): void {
  if (isPageActing()) return;
  sessionStorage.setItem(STORAGE_KEY, JSON.stringify([...new Set([...loadWatchedNames(), fileName])]));
}

export const removeWatchedName = (fileName: string): void =>
  sessionStorage.setItem(STORAGE_KEY, JSON.stringify(loadWatchedNames().filter((name) => name !== fileName)));
