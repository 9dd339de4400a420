import { createFileRoute, stripSearchParams } from '@tanstack/react-router';
import type { SearchSchemaInput } from '@tanstack/react-router';
import { CHECK_PAGE_DEFAULTS, parseCheckPageView } from '../../../areas/backups/model/view.ts';
import type { CheckPageView } from '../../../areas/backups/model/view.ts';
import { CheckPage } from '../../../areas/backups/pages/CheckPage.tsx';

export const Route = createFileRoute('/_app/backups/verify')({
  staticData: { title: 'Verify a file' },
  validateSearch: (search: Partial<CheckPageView> & SearchSchemaInput) => parseCheckPageView({ ...search }),
  search: { middlewares: [stripSearchParams(CHECK_PAGE_DEFAULTS)] },
  component: CheckPage,
});
