import type { QueryClient } from '@tanstack/react-query';
import type { Job } from '../../../../contract/generated/types.gen.ts';
import { listJobItems, listJobReasons } from '../../../api/generated/sdk/jobs.gen.ts';
import { invalidateAfter } from '../../../api/invalidation.ts';
import { removeFromDirectory } from '../../../directory/directory.ts';
import { announce } from '../../../ui/layout/LiveRegion.tsx';
import { toast } from '../../../ui/toast.ts';
import { formatEnd } from './format.ts';
import { createJobEvents } from './job-events.ts';
import { JOB_KINDS } from './job-kinds.ts';
import { getJobLink, getJobToastKey } from './links.ts';
import { hasEnded, isActive } from './progress.ts';
import { saveJobFile } from './save-job-file.ts';

/** While a job runs, what it changes is read again at this interval at most; its end is shown at once. */
const REFRESH_INTERVAL_MS = 5_000;
const MAX_PAGE_SIZE = 1000;

interface WatchedJob {
  job: Job;
  refreshedAt: number;
  /** Removed users that have left the directory. */
  removed: number;
}

export interface JobWatcher {
  /** @param jobs newest jobs of the caller, newest first */
  update: (jobs: readonly Job[]) => void;
  stop: () => void;
}

/**
 * Watches the caller's jobs from one reading to the next: refreshes what they changed, and announces each end once. Jobs that
 * had ended at the first reading are not announced. While one is active, its progress arrives as events.
 */
export function createJobWatcher(client: QueryClient): JobWatcher {
  const watched = new Map<number, WatchedJob>();
  let lastId: number | undefined;
  const events = createJobEvents(client);

  const refresh = async (entry: WatchedJob, job: Job) => {
    entry.refreshedAt = Date.now();
    if (job.kind === 'users.remove') entry.removed = await removeUsers(client, job, entry.removed);
    await Promise.all(JOB_KINDS[job.kind].operations.map((operation) => invalidateAfter(client, operation)));
  };

  const watch = (job: Job) => {
    const isNew = lastId !== undefined && job.id > lastId;
    const entry = watched.get(job.id);
    if (!entry) {
      if (hasEnded(job) && !isNew) return;
      const added = { job, refreshedAt: Date.now(), removed: 0 };
      if (hasEnded(job)) end(added, job);
      else watched.set(job.id, added);
      return;
    }
    const hasProgressed = job.done > entry.job.done;
    entry.job = job;
    if (hasEnded(job)) end(entry, job);
    else if (hasProgressed && Date.now() - entry.refreshedAt >= REFRESH_INTERVAL_MS)
      refresh(entry, job).catch(ignoreError);
  };

  const end = (entry: WatchedJob, job: Job) => {
    watched.delete(job.id);
    if (job.done > 0) refresh(entry, job).catch(ignoreError);
    // The service has notified the owner.
    invalidateAfter(client, 'markNotificationsRead').catch(ignoreError);
    const title = formatEnd(job);
    const isBad = job.failed > 0 || job.state === 'stopped';
    announce(title);
    const show = (description: string | null) =>
      toast({
        key: getJobToastKey(job),
        tone: job.state === 'finished' && !isBad ? 'ok' : isBad ? 'bad' : 'info',
        title,
        ...(description !== null && { description }),
        ...(job.file && { action: { label: 'Save', onSelect: () => void saveJobFile(job) } }),
        link: getJobLink(job),
      });
    if (job.total === 1 && job.failed + job.conflicts > 0)
      void readReason(job).then((reason) => show(reason ?? job.stopReason));
    else show(job.stopReason);
  };

  return {
    /** @param jobs newest jobs of the caller, newest first */
    update(jobs: readonly Job[]): void {
      for (const job of jobs) watch(job);
      lastId = Math.max(lastId ?? 0, ...jobs.map(({ id }) => id));
      events.follow(jobs.some((job) => isActive(job)));
    },
    stop: events.stop,
  };
}

/** Why the only item of a job failed or was skipped; null if the reason cannot be read. */
async function readReason({ id: jobId }: Job): Promise<string | null> {
  try {
    const { data } = await listJobReasons({ path: { jobId } });
    return data.at(0)?.reason ?? null;
  } catch {
    return null;
  }
}

// What is shown may be stale for a while longer; the next reading tries again.
const ignoreError = () => undefined;

/**
 * Removes the users that a job has removed from the directory, which hears of them from nobody else. Items are done in the
 * order of the request. @param removed number of users that this function has removed before @returns the new number
 */
async function removeUsers(client: QueryClient, job: Job, removed: number): Promise<number> {
  let count = removed;
  for (;;) {
    const pageNumber = Math.floor(count / MAX_PAGE_SIZE) + 1;
    const { data } = await listJobItems({
      path: { jobId: job.id },
      query: { state: 'done', pageNumber, pageSize: MAX_PAGE_SIZE },
    });
    const ids = data.flatMap(({ input }) => (typeof input['userId'] === 'number' ? [input['userId']] : []));
    removeFromDirectory(client, ids);
    count = (pageNumber - 1) * MAX_PAGE_SIZE + data.length;
    if (data.length < MAX_PAGE_SIZE) return count;
  }
}
