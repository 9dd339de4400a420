import { createFileRoute, useRouter } from '@tanstack/react-router';
import { groupQuery } from '../../../../directory/groups.ts';
import { EditGroupPanel } from '../../../../areas/groups/panels/EditGroupPanel.tsx';

export const Route = createFileRoute('/_app/groups/$groupId/edit')({
  staticData: { title: 'Edit group', part: true },
  // Editing begins with the group as it is now.
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
