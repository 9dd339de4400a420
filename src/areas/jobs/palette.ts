import { X } from 'lucide-react';
import type { Job } from '../../../contract/generated/types.gen.ts';
import { getJob } from '../../api/generated/sdk/jobs.gen.ts';
import type { PaletteContext, PaletteContribution } from '../../app/state/palette.ts';
import { requestAction } from '../../app/state/requested-action.ts';
import { rankByLabel } from '../../lib/text/rank.ts';
import { describeState } from './model/format.ts';
import { JOB_KINDS } from './model/job-kinds.ts';
import { jobListQuery } from './model/jobs.ts';
import { hasEnded } from './model/progress.ts';

const MAX_JOBS = 6;
const JOB_ID = /^(job[\s:#]*)?([1-9]\d{0,9})$/i;

/**
 * The caller's newest jobs whose title matches, and the job with the typed id. A number alone is rather the id of something else, so that
 * the service is asked only for "job 12".
 */
async function findJobs(typed: string, { client, signal }: PaletteContext): Promise<Job[]> {
  const { jobs } = await client.ensureQueryData(jobListQuery('own'));
  const named = rankByLabel(
    jobs.map((job) => ({ job, label: job.title })),
    typed,
  ).map(({ job }) => job);
  const [, prefix, digits] = JOB_ID.exec(typed) ?? [];
  const id = Number(digits);
  const job =
    jobs.find((one) => one.id === id) ?? (prefix === undefined ? undefined : await readJob(id, signal));
  return job ? [job, ...named.filter((one) => one.id !== id)] : named;
}

/** The job, also of another person; undefined if the caller may not see it. */
async function readJob(jobId: number, signal: AbortSignal): Promise<Job | undefined> {
  try {
    return (await getJob({ path: { jobId }, signal })).data;
  } catch {
    return undefined;
  }
}

const palette: PaletteContribution = {
  commands: [
    {
      phrases: ['cancel job', 'cancel'],
      label: 'Cancel a job',
      icon: X,
      needs: 'cancelJob',
      async find(target, context) {
        const jobs = (await findJobs(target, context)).filter((job) => !hasEnded(job));
        return jobs.slice(0, MAX_JOBS).map(({ id, title }) => ({
          id: String(id),
          label: `Cancel: ${title}`,
          hint: `Job ${id}`,
          icon: X,
          run: () =>
            void requestAction({ name: 'cancelJob', id }, () =>
              context.navigate({ to: '/jobs/$jobId', params: { jobId: id } }),
            ),
        }));
      },
    },
  ],
  sources: [
    {
      name: 'Jobs',
      needs: 'listJobs',
      async find(typed, context) {
        const found = await findJobs(typed, context);
        return {
          items: found.slice(0, MAX_JOBS).map((job) => {
            const { label, tone } = describeState(job);
            return {
              id: String(job.id),
              label: job.title,
              hint: `Job ${job.id}`,
              icon: JOB_KINDS[job.kind].icon,
              badge: { text: label, tone },
              run: () => void context.navigate({ to: '/jobs/$jobId', params: { jobId: job.id } }),
            };
          }),
          total: found.length,
        };
      },
    },
  ],
};

export default palette;
