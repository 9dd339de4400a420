import { createFileRoute } from '@tanstack/react-router';
import { RunsPage } from '../../../areas/reports/pages/RunsPage.tsx';

export const Route = createFileRoute('/_app/reports/runs')({
  staticData: { title: 'Generated reports' },
  // `run` is the report of a link in a mail.
  validateSearch: ({ everyone, run }: Record<string, unknown>): { everyone?: true; run?: number } => ({
    ...(everyone === true && { everyone }),
    ...(typeof run === 'number' && { run }),
  }),
  component: RunsPage,
});
