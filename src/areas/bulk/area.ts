import { defineArea } from '../../app/area/define-area.ts';
import { registerJobReview } from '../../app/jobs/job-review.ts';
import { deleteStoredJobs } from '../../app/jobs/jobs.ts';
import { BulkHost } from './BulkHost.tsx';

export const bulkArea = defineArea({
  name: 'bulk',
  Host: BulkHost,
  register: () => registerJobReview(() => import('./review-job.ts')),
  resumeJobs: async (_client, identity) =>
    (await import('../../app/jobs/legacy-jobs.ts')).offerLegacyJobReport(identity),
  clearStorage: deleteStoredJobs,
});
