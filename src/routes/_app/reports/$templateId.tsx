import { createFileRoute } from '@tanstack/react-router';
import { TemplatePage } from '../../../areas/reports/pages/TemplatePage.tsx';

export const Route = createFileRoute('/_app/reports/$templateId')({
  staticData: { title: 'Template' },
  remountDeps: ({ params }) => params,
  component: TemplatePage,
});
