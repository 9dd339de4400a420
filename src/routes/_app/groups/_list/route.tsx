import { createFileRoute } from '@tanstack/react-router';
import { groupsQuery } from '../../../../directory/groups.ts';
import { GroupsPage } from '../../../../areas/groups/pages/GroupsPage.tsx';
import { readGroupsView, writeGroupsView } from '../../../../areas/groups/model/view.ts';

export const Route = createFileRoute('/_app/groups/_list')({
  validateSearch: (search) => writeGroupsView(readGroupsView(search)),
  loader: ({ context: { queryClient } }) => {
    // The table shows that it waits; the page around it need not.
    void queryClient.prefetchQuery(groupsQuery);
  },
  component: GroupsPage,
});
