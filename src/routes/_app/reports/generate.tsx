import { createFileRoute } from '@tanstack/react-router';
import { prefetchGenerateForm } from '../../../areas/reports/model/reports.ts';
import { GeneratePage } from '../../../areas/reports/pages/GeneratePage.tsx';

export const Route = createFileRoute('/_app/reports/generate')({
  staticData: { title: 'Generate a report' },
  // The page reads the selection (areas/reports/model/selection.ts).
  validateSearch: (search: Record<string, unknown>) => search,
  loader: ({ context: { queryClient, session } }) => prefetchGenerateForm(queryClient, session),
  component: GeneratePage,
});
