import { createFileRoute, notFound, stripSearchParams } from '@tanstack/react-router';
import type { SearchSchemaInput } from '@tanstack/react-router';
import { ServiceError } from '../../../api/errors.ts';
import { getJobOptions } from '../../../api/generated/queries/jobs.gen.ts';
import { JOB_DEFAULTS, parseJobView } from '../../../areas/jobs/model/view.ts';
import type { JobView } from '../../../areas/jobs/model/view.ts';
import { JobPage } from '../../../areas/jobs/pages/JobPage.tsx';
import { parsePathId } from '../../../lib/ids.ts';

export const Route = createFileRoute('/_app/jobs/$jobId')({
  params: {
    parse: ({ jobId }) => ({ jobId: parsePathId(jobId) }),
    stringify: ({ jobId }) => ({ jobId: String(jobId) }),
  },
  validateSearch: (search: Partial<JobView> & SearchSchemaInput) => parseJobView({ ...search }),
  search: { middlewares: [stripSearchParams(JOB_DEFAULTS)] },
  loader: async ({ context: { queryClient }, params: { jobId } }) => {
    try {
      const { title } = await queryClient.ensureQueryData(getJobOptions({ path: { jobId } }));
      return { title };
    } catch (error) {
      if (error instanceof ServiceError && error.status === 404) throw notFound();
      throw error;
    }
  },
  remountDeps: ({ params }) => params,
  component: JobPage,
});
