import { createFileRoute, useRouter } from '@tanstack/react-router';
import { userIdParam } from '../../../../areas/proxies/model/view.ts';
import { PersonPanel } from '../../../../areas/proxies/panels/PersonPanel.tsx';

export const Route = createFileRoute('/_app/proxies/_list/$userId')({
  staticData: { title: 'Assignments of a person', part: 'panel' },
  params: userIdParam,
  component: PersonOverList,
});

function PersonOverList() {
  const router = useRouter();
  const { userId } = Route.useParams();
  return (
    <PersonPanel
      userId={userId}
      to="/proxies/$userId"
      onClose={() => void router.navigate({ to: '/proxies', search: (now) => now })}
    />
  );
}
