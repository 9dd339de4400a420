import { createFileRoute } from '@tanstack/react-router';
import { ProxiesTab } from '../../../../areas/users/pages/ProxiesTab.tsx';

export const Route = createFileRoute('/_app/users/$userId/proxies')({
  staticData: { title: 'Proxies', part: true },
  /** Which end of a new assignment they are: the panel for it is open. */
  validateSearch: (search): { assign?: 'proxy' | 'user' } =>
    search.assign === 'proxy' || search.assign === 'user' ? { assign: search.assign } : {},
  component: ProxiesTab,
});
