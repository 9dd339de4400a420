import { createFileRoute, useRouter } from '@tanstack/react-router';
import { userIdParam } from '../../../../areas/proxies/model/view.ts';
import { PersonPanel } from '../../../../areas/proxies/panels/PersonPanel.tsx';

export const Route = createFileRoute('/_app/proxies/graph/$userId')({
  staticData: { title: 'Assignments of a person', part: 'panel' },
  params: userIdParam,
  component: PersonOverGraph,
});

function PersonOverGraph() {
  const router = useRouter();
  const { userId } = Route.useParams();
  return (
    <PersonPanel
      userId={userId}
      to="/proxies/graph/$userId"
      onClose={() => void router.navigate({ to: '/proxies/graph', search: (now) => now })}
    />
  );
}
