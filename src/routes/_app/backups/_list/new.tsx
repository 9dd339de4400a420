import { createFileRoute } from '@tanstack/react-router';
import { RequestPanel } from '../../../../areas/backups/panels/RequestPanel.tsx';

export const Route = createFileRoute('/_app/backups/_list/new')({
  staticData: { title: 'Request a backup', part: 'panel' },
  component: RequestPanel,
});
