import type { Job } from '../../../../contract/generated/types.gen.ts';

/** File name of the backup that a job makes; undefined for other jobs. */
export const getBackupName = ({ kind, parameters: { fileName } }: Job): string | undefined =>
  kind === 'backup' && typeof fileName === 'string' ? fileName : undefined;

/** Link for a message: to the page of the job, or to the backup that it has made. */
export function getJobLink(job: Job): { label: string; path: string } {
  const backup = job.state === 'finished' ? getBackupName(job) : undefined;
  return backup === undefined
    ? { label: 'Open job', path: `/jobs/${job.id}` }
    : { label: 'Open backup', path: `/backups/${encodeURIComponent(backup)}` };
}

/** Key by which the message about the end of a job replaces the one about its start. */
export const getJobToastKey = ({ id }: Job): string => `job-${id}`;
