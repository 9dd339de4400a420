import { createFileRoute } from '@tanstack/react-router';
import { prefetchTemplatePage, templateQuery } from '../../../areas/reports/model/reports.ts';
import { TemplatePage } from '../../../areas/reports/pages/TemplatePage.tsx';
import { parsePathId } from '../../../lib/ids.ts';

export const Route = createFileRoute('/_app/reports/$templateId')({
  staticData: { title: 'Template' },
  params: {
    parse: ({ templateId }) => ({ templateId: parsePathId(templateId) }),
    stringify: ({ templateId }) => ({ templateId: String(templateId) }),
  },
  loader: async ({ context: { queryClient }, params: { templateId } }) => {
    await prefetchTemplatePage(queryClient, templateId);
    const { queryKey } = templateQuery(templateId);
    return { title: () => queryClient.getQueryData(queryKey)?.data.name };
  },
  remountDeps: ({ params }) => params,
  component: TemplatePage,
});
