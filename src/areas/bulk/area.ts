import { defineArea } from '../../app/area/define-area.ts';
import { deleteStoredJobs } from '../../app/jobs/jobs.ts';
import { registerUndoFormat } from '../../app/jobs/undo-files.ts';
import { bulkRequest } from './bulk-request.ts';
import { BulkHost } from './BulkHost.tsx';

export const bulkArea = defineArea({
  name: 'bulk',
  Host: BulkHost,
  register: () => {
    registerUndoFormat('steward-undo', async (content, siteId) => {
      const { parseUndoFile: readUndoFile } = await import('./undo-file.ts');
      bulkRequest.set(readUndoFile(content, siteId));
    });
  },
  resumeJobs: async (client, identity) => (await import('./job.ts')).restoreBulkJobs(client, identity),
  clearStorage: deleteStoredJobs,
});
