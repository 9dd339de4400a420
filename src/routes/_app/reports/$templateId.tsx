import { createFileRoute } from '@tanstack/react-router';
import { prefetchTemplatePage } from '../../../areas/reports/model/reports.ts';
import { TemplatePage } from '../../../areas/reports/pages/TemplatePage.tsx';

export const Route = createFileRoute('/_app/reports/$templateId')({
  staticData: { title: 'Template' },
  loader: async ({ context: { queryClient }, params: { templateId } }) => {
    const id = Number(templateId);
    // The page answers any other text.
    const template = Number.isInteger(id) ? await prefetchTemplatePage(queryClient, id) : undefined;
    return { title: template?.name };
  },
  remountDeps: ({ params }) => params,
  component: TemplatePage,
});
