import { createFileRoute } from '@tanstack/react-router';
import { proxiesQuery } from '../../../../areas/proxies/model/use-assignments.ts';
import { ProxiesTab } from '../../../../areas/users/pages/ProxiesTab.tsx';

export const Route = createFileRoute('/_app/users/$userId/proxies')({
  staticData: { title: 'Proxies', part: 'tab' },
  /** Opens the panel that assigns users to this user as a proxy, or a proxy to this user. */
  validateSearch: (search): { assign?: 'proxy' | 'user' } =>
    search.assign === 'proxy' || search.assign === 'user' ? { assign: search.assign } : {},
  // The lists have their height from the start. Their card reports a failure.
  loader: ({ context: { queryClient } }) => queryClient.prefetchQuery(proxiesQuery),
  component: ProxiesTab,
});
