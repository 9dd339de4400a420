import { defineArea } from '../../app/area/define-area.ts';
import { deleteStoredJobs } from '../../app/jobs/jobs.ts';
import { registerJobReview } from '../jobs/index.ts';
import { BulkHost } from './BulkHost.tsx';
import { countReviewable, reviewJob } from './review-job.ts';

export const bulkArea = defineArea({
  name: 'bulk',
  Host: BulkHost,
  register: () => registerJobReview({ count: countReviewable, open: reviewJob }),
  resumeJobs: async (_client, identity) =>
    (await import('../../app/jobs/kept-jobs.ts')).offerKeptJobs(identity),
  clearStorage: deleteStoredJobs,
});
