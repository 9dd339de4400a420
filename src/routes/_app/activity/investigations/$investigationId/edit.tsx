import { createFileRoute } from '@tanstack/react-router';
import { EditInvestigationPanel } from '../../../../../areas/activity/investigations/InvestigationPanels.tsx';

export const Route = createFileRoute('/_app/activity/investigations/$investigationId/edit')({
  staticData: { title: 'Edit investigation', part: 'panel' },
  component: EditInvestigationPanel,
});
