import { createFileRoute } from '@tanstack/react-router';
import type { GroupsSearch } from '../../../../areas/groups/model/view.ts';
import { GroupsPage } from '../../../../areas/groups/pages/GroupsPage.tsx';
import { groupsQuery } from '../../../../directory/groups.ts';
import { passSearch } from '../../../../lib/search-params.ts';

export const Route = createFileRoute('/_app/groups/_list')({
  validateSearch: passSearch<GroupsSearch>,
  loader: ({ context: { queryClient } }) => {
    // The page is shown immediately; the table has its own loading state.
    void queryClient.prefetchQuery(groupsQuery);
  },
  component: GroupsPage,
});
