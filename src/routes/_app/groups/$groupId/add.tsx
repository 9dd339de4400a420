import { createFileRoute } from '@tanstack/react-router';
import { AddMembersPanel } from '../../../../areas/groups/panels/AddMembersPanel.tsx';

export const Route = createFileRoute('/_app/groups/$groupId/add')({
  staticData: { title: 'Add people', part: 'panel' },
  component: AddMembersPanel,
});
