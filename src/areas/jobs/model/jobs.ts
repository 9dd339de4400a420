import { queryOptions } from '@tanstack/react-query';
import type { QueryClient } from '@tanstack/react-query';
import type { Job } from '../../../../contract/generated/types.gen.ts';
import { getJobQueryKey, listJobsQueryKey } from '../../../api/generated/queries/jobs.gen.ts';
import { listJobs } from '../../../api/generated/sdk/jobs.gen.ts';
import { hasEnded, isActive, recordProgress } from './progress.ts';

/** Jobs that the job center holds; older ones are on the page of all jobs. */
const MAX_LISTED_JOBS = 100;
/** Jobs that may have been started since the previous reading of the open ones. */
const MAX_NEW_JOBS = 10;
const OPEN_INTERVAL_MS = 1_000;
const IDLE_INTERVAL_MS = 30_000;

/** The newest jobs of the caller or of other users, newest first. */
export interface JobList {
  jobs: readonly Job[];
  /** When all of them were read, in milliseconds since the epoch; between such readings only the open ones are. */
  readAllAt: number;
}

/** Jobs whose progress arrives as events (job-events.ts). */
export const followedJobs = {
  isConnected: false,
  /** When the last event about a job arrived, in milliseconds since the epoch. */
  changedAt: new Map<number, number>(),
};

const isFollowed = ({ id }: Job): boolean => followedJobs.isConnected && followedJobs.changedAt.has(id);

/** Interval in milliseconds at which jobs are read again. */
export const getPollInterval = (jobs: readonly Job[] = []): number =>
  jobs.some((job) => isActive(job) && !isFollowed(job)) ? OPEN_INTERVAL_MS : IDLE_INTERVAL_MS;

/**
 * Keeps the newest jobs up to date: every second while one is active of which no events arrive, every 30 seconds otherwise,
 * and when the window gets the focus. The single source of progress, to which events write too. Its key starts with
 * `listJobs`, so that every write that invalidates jobs refreshes it.
 */
export const jobListQuery = (owner: 'own' | 'others') =>
  queryOptions({
    queryKey: [{ ...listJobsQueryKey({ query: { owner } })[0], newest: true }],
    async queryFn({ client, queryKey, signal }): Promise<JobList> {
      const previous = client.getQueryState<JobList>(queryKey);
      const known = previous?.isInvalidated ? undefined : previous?.data;
      const isDue = !known || Date.now() - known.readAllAt >= IDLE_INTERVAL_MS;
      const lastOpen = isDue ? -1 : known.jobs.findLastIndex((job) => !hasEnded(job));
      const pageSize = isDue ? MAX_LISTED_JOBS : Math.min(MAX_LISTED_JOBS, lastOpen + 1 + MAX_NEW_JOBS);
      const sentAt = Date.now();
      const { data: read } = await listJobs({ signal, query: { owner, pageNumber: 1, pageSize } });
      const data = read.map((job) => getNewer(client, job, sentAt));
      recordProgress(data);
      for (const job of data) client.setQueryData(getJobQueryKey({ path: { jobId: job.id } }), job);
      return isDue
        ? { jobs: data, readAllAt: Date.now() }
        : { jobs: mergeJobs(data, known.jobs), readAllAt: known.readAllAt };
    },
    staleTime: 0,
    refetchInterval: ({ state: { data } }) => getPollInterval(data?.jobs),
    refetchOnWindowFocus: true,
  });

/** The job as an event described it while it was read, or as it was read. */
function getNewer(client: QueryClient, job: Job, sentAt: number): Job {
  if ((followedJobs.changedAt.get(job.id) ?? 0) < sentAt) return job;
  return client.getQueryData(getJobQueryKey({ path: { jobId: job.id } })) ?? job;
}

/** Newly read jobs in front of those that were not read again. */
function mergeJobs(read: readonly Job[], known: readonly Job[]): readonly Job[] {
  const readIds = new Set(read.map(({ id }) => id));
  return [...read, ...known.filter(({ id }) => !readIds.has(id))]
    .toSorted((a, b) => b.id - a.id)
    .slice(0, MAX_LISTED_JOBS);
}

/** Puts the caller's jobs that the service returned into the cache: their own queries and the list. */
function storeJobs(client: QueryClient, jobs: readonly Job[]): void {
  for (const job of jobs) client.setQueryData(getJobQueryKey({ path: { jobId: job.id } }), job);
  client.setQueryData(jobListQuery('own').queryKey, (known: JobList | undefined) => ({
    jobs: mergeJobs(jobs, known?.jobs ?? []),
    readAllAt: known?.readAllAt ?? 0,
  }));
}

/** Puts a job that the service returned into the cache: its own query and the list of the caller's jobs. */
export const cacheJob = (client: QueryClient, job: Job): void => storeJobs(client, [job]);

/** Puts the jobs of an event into the cache. */
export function cacheJobs(client: QueryClient, jobs: readonly Job[]): void {
  if (jobs.length === 0) return;
  for (const { id } of jobs) followedJobs.changedAt.set(id, Date.now());
  recordProgress(jobs);
  storeJobs(client, jobs);
}
