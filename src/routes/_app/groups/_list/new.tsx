import { createFileRoute } from '@tanstack/react-router';
import { NewGroupPanel } from '../../../../areas/groups/panels/GroupFields.tsx';

export const Route = createFileRoute('/_app/groups/_list/new')({
  staticData: { title: 'New group', part: 'panel' },
  component: NewGroupPanel,
});
