import { createFileRoute } from '@tanstack/react-router';
import { EditInvestigationPanel } from '../../-EditInvestigationPanel.tsx';

export const Route = createFileRoute('/_app/activity/investigations/$investigationId/edit')({
  staticData: { title: 'Edit investigation', part: true },
  component: EditInvestigationPanel,
});
