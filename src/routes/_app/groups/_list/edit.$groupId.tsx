import { createFileRoute, useRouter } from '@tanstack/react-router';
import { groupQuery } from '../../../../directory/groups.ts';
import { EditGroupPanel } from '../../../../areas/groups/panels/EditGroupPanel.tsx';
import { groupIdParam } from '../../../../areas/groups/model/group-id.ts';

export const Route = createFileRoute('/_app/groups/_list/edit/$groupId')({
  staticData: { title: 'Edit group', part: true },
  params: groupIdParam,
  // Editing begins with the group as it is now.
  loader: ({ context: { queryClient }, params: { groupId } }) =>
    queryClient.fetchQuery({ ...groupQuery(groupId), staleTime: 0 }),
  remountDeps: ({ params }) => params,
  component: EditOverList,
});

function EditOverList() {
  const router = useRouter();
  return (
    <EditGroupPanel
      start={Route.useLoaderData()}
      onClose={(saved) => router.navigate({ to: '/groups', search: (now) => now, ignoreBlocker: saved })}
    />
  );
}
