import { createFileRoute } from '@tanstack/react-router';
import { ComparePage } from '../../../areas/reports/pages/ComparePage.tsx';

export const Route = createFileRoute('/_app/reports/compare')({
  staticData: { title: 'Compare reports' },
  validateSearch: (search: Record<string, unknown>): { run: number; with?: number } => ({
    run: Number(search['run']) || 0,
    ...(typeof search['with'] === 'number' && { with: search['with'] }),
  }),
  component: ComparePage,
});
