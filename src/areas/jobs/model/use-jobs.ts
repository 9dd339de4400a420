import { useQuery } from '@tanstack/react-query';
import type { Job } from '../../../../contract/generated/types.gen.ts';
import { getJobOptions } from '../../../api/generated/queries/jobs.gen.ts';
import { useStore } from '../../../ui/store.ts';
import { getPollInterval, jobListQuery } from './jobs.ts';
import { progressSamples, getRate } from './progress.ts';

/** Newest jobs of the caller or of others, kept up to date while a component uses them; undefined until they are read. */
export function useJobs(owner: 'own' | 'others', enabled: boolean): readonly Job[] | undefined {
  return useQuery({ ...jobListQuery(owner), enabled }).data?.jobs;
}

/** One job, kept up to date. */
export const useJob = (jobId: number) =>
  useQuery({
    ...getJobOptions({ path: { jobId } }),
    staleTime: 0,
    refetchInterval: ({ state: { data } }) => getPollInterval(data && [data]),
    refetchOnWindowFocus: true,
  });

/** Items per second of a job as text and its end; see `getRate`. */
export function useRate(job: Job): number | undefined {
  const samples = useStore(progressSamples);
  return getRate(job, samples.get(job.id));
}
