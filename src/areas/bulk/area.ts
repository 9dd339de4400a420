import { defineArea } from '../../app/area/define-area.ts';
import { deleteStoredJobs } from '../../app/jobs/jobs.ts';
import { BulkHost } from './BulkHost.tsx';

export const bulkArea = defineArea({
  name: 'bulk',
  Host: BulkHost,
  resumeJobs: async (_client, identity) =>
    (await import('../../app/jobs/kept-jobs.ts')).offerKeptJobs(identity),
  clearStorage: deleteStoredJobs,
});
