import { defineArea } from '../../kernel/area/area.ts';
import { jobHandlers } from './handlers.ts';
import { createJobRetentionTask } from './retention.ts';
import { createUploadCleanupTask } from './uploads.ts';

export const jobsArea = defineArea({
  name: 'jobs',
  handlers: jobHandlers,
  tasks: (context) => [createJobRetentionTask(context), createUploadCleanupTask(context)],
  tables: {
    job: { backup: { leftOut: 'log of the installation' }, retention: '1 year' },
    job_part: {
      backup: { leftOut: 'log of the installation' },
      retention: '1 year; uploads that are not continued 24 hours',
    },
    job_item: {
      backup: { leftOut: 'log of the installation' },
      retention: '1 year, what was requested 90 days',
    },
  },
  auditActions: {
    job: [
      'job.cancel',
      'job.expire',
      'job.finish',
      'job.pause',
      'job.resume',
      'job.start',
      'job.stop',
      'job.upload',
    ],
  },
});
