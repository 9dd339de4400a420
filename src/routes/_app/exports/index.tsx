import { createFileRoute } from '@tanstack/react-router';
import { ExportsPage } from '../../../areas/export/pages/ExportsPage.tsx';

export const Route = createFileRoute('/_app/exports/')({
  staticData: { title: 'Exports' },
  component: ExportsPage,
});
