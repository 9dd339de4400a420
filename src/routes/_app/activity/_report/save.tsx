import { createFileRoute } from '@tanstack/react-router';
import { SavePanel } from '../../../../areas/activity/panels/SavePanel.tsx';

export const Route = createFileRoute('/_app/activity/_report/save')({
  staticData: { title: 'Save investigation', part: true },
  component: SavePanel,
});
