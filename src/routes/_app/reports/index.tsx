import { createFileRoute } from '@tanstack/react-router';
import { TemplatesPage } from '../../../areas/reports/pages/TemplatesPage.tsx';

export const Route = createFileRoute('/_app/reports/')({
  validateSearch: (search: { new?: unknown }): { new?: true } => (search.new === true ? { new: true } : {}),
  component: TemplatesPage,
});
