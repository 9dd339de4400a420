import { createFileRoute } from '@tanstack/react-router';
import { UnbuiltTab } from '../-UnbuiltTab.tsx';

export const Route = createFileRoute('/_app/users/$userId/proxies')({
  staticData: { title: 'Proxies', part: true },
  component: () => (
    <UnbuiltTab title="Proxies have no page yet" call="GET /api/rest/v1/management/user/proxy">
      Here it will say who may act for this person, and for whom this person may act.
    </UnbuiltTab>
  ),
});
