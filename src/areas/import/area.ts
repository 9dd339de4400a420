import { defineArea } from '../../app/area/define-area.ts';

export const importArea = defineArea({
  name: 'import',
  resumeJobs: async (client, identity) => (await import('./model/job.ts')).restoreImports(client, identity),
});
