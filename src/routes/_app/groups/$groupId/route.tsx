import { createFileRoute } from '@tanstack/react-router';
import { groupIdParam } from '../../../../areas/groups/model/group-id.ts';
import type { MembersSearch } from '../../../../areas/groups/model/members-view.ts';
import { GroupPage } from '../../../../areas/groups/pages/GroupPage.tsx';
import { directoryQuery } from '../../../../directory/directory.ts';
import { groupQuery } from '../../../../directory/groups.ts';
import { passSearch } from '../../../../lib/search-params.ts';

export const Route = createFileRoute('/_app/groups/$groupId')({
  staticData: { title: 'Group' },
  params: groupIdParam,
  validateSearch: passSearch<MembersSearch>,
  loader: async ({ context: { queryClient }, params: { groupId } }) => {
    void queryClient.prefetchQuery(directoryQuery);
    const query = groupQuery(groupId);
    const { data } = await queryClient.ensureQueryData(query);
    return { title: () => (queryClient.getQueryData(query.queryKey)?.data ?? data).name };
  },
  // Another group remounts the page, so that a selection in one never applies to another.
  remountDeps: ({ params }) => params,
  component: GroupPage,
});
