import { createFileRoute, useRouter } from '@tanstack/react-router';
import { PersonPanel } from '../../../../areas/proxies/panels/PersonPanel.tsx';
import { userIdParam } from '../../../../areas/proxies/model/user-id.ts';

export const Route = createFileRoute('/_app/proxies/_list/$userId')({
  staticData: { title: 'Assignments of a person', part: true },
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
