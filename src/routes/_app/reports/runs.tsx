import { createFileRoute } from '@tanstack/react-router';
import { RunsPage } from '../../../areas/reports/pages/RunsPage.tsx';

export const Route = createFileRoute('/_app/reports/runs')({
  staticData: { title: 'Generated reports' },
  validateSearch: ({ everyone }: Record<string, unknown>): { everyone?: true } =>
    everyone === true ? { everyone } : {},
  component: RunsPage,
});
