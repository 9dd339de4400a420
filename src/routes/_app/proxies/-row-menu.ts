import { useRouter } from '@tanstack/react-router';
import { PanelRight, Trash2, UserRound, UserRoundPlus, Waypoints } from 'lucide-react';
import { useAllowed } from '../../../api/session.ts';
import type { MenuItems } from '../../../ui/menu/menu-items.ts';
import { useRemovals } from './-actions.ts';
import type { Direction } from './-delegations.ts';
import type { DelegationRow } from './-rows.ts';

/** What can be done with one row of the list. */
export function useDelegationMenu(direction: Direction): (row: DelegationRow) => MenuItems {
  const router = useRouter();
  const change = useAllowed('changeProxies');
  const { clearProxy, clearUser } = useRemovals();
  return ({ id, person, others }) => [
    {
      label: 'Open',
      icon: PanelRight,
      onSelect: () =>
        void router.navigate({ to: '/proxies/$userId', params: { userId: id }, search: (now) => now }),
    },
    {
      label: 'Go to the user',
      icon: UserRound,
      onSelect: () => void router.navigate({ to: '/users/$userId/proxies', params: { userId: id } }),
    },
    {
      label: 'Show in the graph',
      icon: Waypoints,
      onSelect: () => void router.navigate({ to: '/proxies/graph', search: { around: id } }),
    },
    {
      label: direction === 'proxy' ? 'Assign users' : 'Assign a proxy',
      icon: UserRoundPlus,
      disabledReason: change.reason,
      onSelect: () =>
        void router.navigate({
          to: '/proxies/assign',
          search: (now) => ({ ...now, ...(direction === 'proxy' ? { delegate: id } : { principal: id }) }),
        }),
    },
    'line',
    {
      label: `Remove all ${others.length}`,
      icon: Trash2,
      danger: true,
      disabledReason: change.reason,
      onSelect: () => void (direction === 'proxy' ? clearProxy(person, others) : clearUser(person, others)),
    },
  ];
}
