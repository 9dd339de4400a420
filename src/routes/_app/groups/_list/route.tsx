import { createFileRoute } from '@tanstack/react-router';
import { parseGroupsView, serializeGroupsView } from '../../../../areas/groups/model/view.ts';
import { GroupsPage } from '../../../../areas/groups/pages/GroupsPage.tsx';
import { groupsQuery } from '../../../../directory/groups.ts';

export const Route = createFileRoute('/_app/groups/_list')({
  validateSearch: (search) => serializeGroupsView(parseGroupsView(search)),
  loader: ({ context: { queryClient } }) => {
    // The page is shown immediately; the table has its own loading state.
    void queryClient.prefetchQuery(groupsQuery);
  },
  component: GroupsPage,
});
