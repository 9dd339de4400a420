import { defineArea } from '../../kernel/area/area.ts';
import { jobHandlers } from './handlers.ts';
import { createJobRetentionTask } from './retention.ts';

export const jobsArea = defineArea({
  name: 'jobs',
  handlers: jobHandlers,
  tasks: (context) => [createJobRetentionTask(context)],
  tables: {
    job: { backup: { leftOut: 'log of the installation' }, retention: '1 year' },
    job_item: {
      backup: { leftOut: 'log of the installation' },
      retention: '1 year, what was requested 90 days',
    },
  },
  auditActions: { job: ['job.cancel', 'job.finish', 'job.pause', 'job.resume', 'job.start', 'job.stop'] },
});
