import { createFileRoute } from '@tanstack/react-router';
import { SaveInvestigationPanel } from '../../../../areas/activity/investigations/InvestigationPanels.tsx';

export const Route = createFileRoute('/_app/activity/_report/save')({
  staticData: { title: 'Save investigation', part: 'panel' },
  component: SaveInvestigationPanel,
});
