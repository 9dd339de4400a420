import { defineArea } from '../../kernel/area/area.ts';
import { jobFileHandlers } from './files.ts';
import { jobHandlers } from './handlers.ts';
import { createJobFileTasks, createJobRetentionTask } from './retention.ts';
import { createUploadCleanupTask } from './uploads.ts';

export const jobsArea = defineArea({
  name: 'jobs',
  handlers: { ...jobHandlers, ...jobFileHandlers },
  tasks: (context) => [
    createJobRetentionTask(context),
    createUploadCleanupTask(context),
    ...createJobFileTasks(context),
  ],
  tables: {
    job: { backup: { leftOut: 'log of the installation' }, retention: '1 year' },
    job_file: { backup: { leftOut: 'belongs to the disk with the files' }, retention: '7 days' },
    job_file_link: { backup: { leftOut: 'belongs to the disk with the files' }, retention: '7 days' },
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
      'job.download',
      'job.download-link',
      'job.download-refused',
      'job.expire',
      'job.file-removed',
      'job.finish',
      'job.pause',
      'job.resume',
      'job.start',
      'job.stop',
      'job.upload',
    ],
  },
});
