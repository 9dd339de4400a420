import { defineArea } from '../../kernel/area/area.ts';
import { jobHandlers } from './handlers.ts';

export const jobsArea = defineArea({
  name: 'jobs',
  handlers: jobHandlers,
  tables: {
    job: { backup: { leftOut: 'log of the installation' }, retention: '1 year' },
    job_item: { backup: { leftOut: 'log of the installation' }, retention: '90 days' },
  },
  auditActions: { job: ['job.cancel', 'job.finish', 'job.pause', 'job.resume', 'job.start', 'job.stop'] },
});
