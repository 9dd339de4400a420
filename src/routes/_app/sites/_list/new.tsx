import { createFileRoute } from '@tanstack/react-router';
import { NewSitePanel } from '../../../../areas/sites/panels/NewSitePanel.tsx';

export const Route = createFileRoute('/_app/sites/_list/new')({
  staticData: { title: 'New site', part: 'panel' },
  component: NewSitePanel,
});
