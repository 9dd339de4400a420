import { createFileRoute, stripSearchParams } from '@tanstack/react-router';
import type { SearchSchemaInput } from '@tanstack/react-router';
import { ExportsPage } from '../../../areas/export-history/ExportsPage.tsx';
import { EXPORTS_DEFAULTS, parseExportsView } from '../../../areas/export-history/view.ts';
import type { ExportsView } from '../../../areas/export-history/view.ts';

export const Route = createFileRoute('/_app/exports/')({
  staticData: { title: 'Exports' },
  validateSearch: (search: Partial<ExportsView> & SearchSchemaInput) => parseExportsView({ ...search }),
  search: { middlewares: [stripSearchParams(EXPORTS_DEFAULTS)] },
  component: ExportsPage,
});
