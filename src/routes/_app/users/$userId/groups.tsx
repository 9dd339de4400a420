import { createFileRoute } from '@tanstack/react-router';
import { GroupsTab } from '../../../../areas/users/pages/GroupsTab.tsx';

export const Route = createFileRoute('/_app/users/$userId/groups')({
  staticData: { title: 'Groups', isPartOfPage: true },
  component: GroupsTab,
});
