import { useRouter } from '@tanstack/react-router';
import { Crosshair, Globe, PanelRight, UserRound } from 'lucide-react';
import type { MenuItems } from '../../../ui/menu/menu-items.ts';
import { placeOf } from './-columns.tsx';
import { actorOf, addressOf } from './-row.ts';
import type { ActivityRow } from './-row.ts';
import { writeView } from './-view.ts';
import type { ActivityView } from './-view.ts';

/** What can be asked about a row. */
export function useRowMenu(view: ActivityView, show: (view: ActivityView) => void) {
  const router = useRouter();
  return (row: ActivityRow): MenuItems => {
    const address = addressOf(row);
    const details = () =>
      void router.navigate({
        to: '/activity/$activityId',
        params: { activityId: row.activityId ?? 0 },
        search: { ...writeView(view), ...placeOf(row) },
      });
    return [
      { label: 'Details', hint: 'With what happened around it', icon: PanelRight, onSelect: details },
      'line',
      {
        label: 'Only this person',
        hint: actorOf(row),
        icon: Crosshair,
        onSelect: () => show({ ...view, people: [row.userId] }),
      },
      {
        label: 'Only this address',
        hint: address,
        icon: Globe,
        disabledReason: address === undefined ? 'No address is known' : undefined,
        onSelect: () => show({ ...view, address: address ?? '' }),
      },
      'line',
      {
        label: 'Open user',
        icon: UserRound,
        onSelect: () => void router.navigate({ to: '/users/$userId', params: { userId: row.userId } }),
      },
    ];
  };
}
