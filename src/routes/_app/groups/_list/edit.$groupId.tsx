import { createFileRoute, useRouter } from '@tanstack/react-router';
import { groupIdParam } from '../../../../areas/groups/model/group-id.ts';
import { EditGroupPanel } from '../../../../areas/groups/panels/EditGroupPanel.tsx';
import { groupQuery } from '../../../../directory/groups.ts';

export const Route = createFileRoute('/_app/groups/_list/edit/$groupId')({
  staticData: { title: 'Edit group', part: 'panel' },
  params: groupIdParam,
  // Editing starts with the current state of the group.
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
