import { createFileRoute } from '@tanstack/react-router';
import { userQuery } from '../../../../areas/users/model/user-query.ts';
import { GroupsTab } from '../../../../areas/users/pages/GroupsTab.tsx';
import { groupQuery, groupsQuery } from '../../../../directory/groups.ts';

export const Route = createFileRoute('/_app/users/$userId/groups')({
  staticData: { title: 'Groups', part: 'tab' },
  // The lists of groups and capabilities have their height from the start. A failure of one group hides its capabilities.
  loader: async ({ context: { queryClient }, params: { userId } }) => {
    const [{ data: user }] = await Promise.all([
      queryClient.ensureQueryData(userQuery(userId)),
      queryClient.prefetchQuery(groupsQuery),
    ]);
    await Promise.all(user.groups.map((groupId) => queryClient.prefetchQuery(groupQuery(groupId))));
  },
  component: GroupsTab,
});
