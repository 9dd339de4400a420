import { createFileRoute, useRouter } from '@tanstack/react-router';
import { EditGroupPanel } from '../../../../areas/groups/panels/EditGroupPanel.tsx';
import { groupQuery } from '../../../../directory/groups.ts';

export const Route = createFileRoute('/_app/groups/$groupId/edit')({
  staticData: { title: 'Edit group', part: 'panel' },
  // Editing starts with the current state of the group.
  loader: ({ context: { queryClient }, params: { groupId } }) =>
    queryClient.fetchQuery({ ...groupQuery(groupId), staleTime: 0 }),
  remountDeps: ({ params }) => params,
  component: EditOverPage,
});

function EditOverPage() {
  const router = useRouter();
  const params = Route.useParams();
  return (
    <EditGroupPanel
      start={Route.useLoaderData()}
      onClose={(saved) =>
        router.navigate({ to: '/groups/$groupId', params, search: (now) => now, ignoreBlocker: saved })
      }
    />
  );
}
