import { createFileRoute } from '@tanstack/react-router';
import { directoryQuery } from '../../../../directory/directory.ts';
import { groupQuery } from '../../../../directory/groups.ts';
import { groupIdParam } from '../../../../areas/groups/model/group-id.ts';
import { GroupPage } from '../../../../areas/groups/pages/GroupPage.tsx';
import { readMembersView, writeMembersView } from '../../../../areas/groups/model/members-view.ts';

export const Route = createFileRoute('/_app/groups/$groupId')({
  staticData: { title: 'Group' },
  params: groupIdParam,
  validateSearch: (search) => writeMembersView(readMembersView(search)),
  loader: async ({ context: { queryClient }, params: { groupId } }) => {
    void queryClient.prefetchQuery(directoryQuery);
    const { data } = await queryClient.ensureQueryData(groupQuery(groupId));
    return { title: data.name };
  },
  // Another group begins anew: who was selected in one must never be removed from the next.
  remountDeps: ({ params }) => params,
  component: GroupPage,
});
