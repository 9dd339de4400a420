import { createFileRoute } from '@tanstack/react-router';
import { ProxiesTab } from '../../../../areas/users/pages/ProxiesTab.tsx';

export const Route = createFileRoute('/_app/users/$userId/proxies')({
  staticData: { title: 'Proxies', isPartOfPage: true },
  /** Opens the panel that assigns users to this user as a proxy, or a proxy to this user. */
  validateSearch: (search): { assign?: 'proxy' | 'user' } =>
    search.assign === 'proxy' || search.assign === 'user' ? { assign: search.assign } : {},
  component: ProxiesTab,
});
