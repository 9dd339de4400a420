import { createFileRoute } from '@tanstack/react-router';
import { prefetchTemplatePage } from '../../../areas/reports/model/reports.ts';
import { TemplatePage } from '../../../areas/reports/pages/TemplatePage.tsx';
import { parsePathId } from '../../../lib/ids.ts';

export const Route = createFileRoute('/_app/reports/$templateId')({
  staticData: { title: 'Template' },
  params: {
    parse: ({ templateId }) => ({ templateId: parsePathId(templateId) }),
    stringify: ({ templateId }) => ({ templateId: String(templateId) }),
  },
  loader: async ({ context: { queryClient }, params: { templateId } }) => {
    const template = await prefetchTemplatePage(queryClient, templateId);
    return { title: template?.name };
  },
  remountDeps: ({ params }) => params,
  component: TemplatePage,
});
