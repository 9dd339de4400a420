import { createFileRoute, stripSearchParams } from '@tanstack/react-router';
import type { SearchSchemaInput } from '@tanstack/react-router';
import { JOBS_DEFAULTS, parseJobsView } from '../../../areas/jobs/model/view.ts';
import type { JobsView } from '../../../areas/jobs/model/view.ts';
import { JobsPage } from '../../../areas/jobs/pages/JobsPage.tsx';

export const Route = createFileRoute('/_app/jobs/')({
  validateSearch: (search: Partial<JobsView> & SearchSchemaInput) => parseJobsView({ ...search }),
  search: { middlewares: [stripSearchParams(JOBS_DEFAULTS)] },
  component: JobsPage,
});
