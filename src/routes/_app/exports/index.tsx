import { createFileRoute } from '@tanstack/react-router';
import { ExportsPage } from '../../../areas/export-history/ExportsPage.tsx';

export const Route = createFileRoute('/_app/exports/')({
  staticData: { title: 'Exports' },
  component: ExportsPage,
});
