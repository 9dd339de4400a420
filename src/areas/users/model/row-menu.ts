import { useRouter } from '@tanstack/react-router';
import { AtSign, Hash, Pencil, UserCheck, UserMinus, UserRound, UserX } from 'lucide-react';
import { useAllowed } from '../../../api/session.ts';
import type { DirectoryRow } from '../../../directory/row.ts';
import type { MenuItemData, MenuItems } from '../../../ui/menu/menu-items.ts';
import { useUserActions } from './actions.ts';
import type { Person } from './actions.ts';
import { copyText } from '../../../ui/button/copy.ts';

/** Deactivate or activate, and remove: what the menus of the list and of the page both offer. */
export function useDangerItems(leave?: () => Promise<unknown>): (person: Person) => readonly MenuItemData[] {
  const { activate, deactivate, remove } = useUserActions();
  const change = useAllowed('updateUser');
  const removal = useAllowed('removeUser');
  return (person) => [
    person.isActive
      ? {
          label: 'Deactivate',
          icon: UserX,
          disabledReason: change.reason,
          onSelect: () => void deactivate(person),
        }
      : {
          label: 'Activate',
          icon: UserCheck,
          disabledReason: change.reason,
          onSelect: () => void activate(person),
        },
    {
      label: 'Remove from site',
      icon: UserMinus,
      danger: true,
      disabledReason: removal.reason,
      onSelect: () => void remove(person, leave),
    },
  ];
}

/** What can be done with one row of the list. */
export function useRowMenu(): (row: DirectoryRow) => MenuItems {
  const router = useRouter();
  const change = useAllowed('updateUser');
  const danger = useDangerItems();
  return (row) => {
    const open = (edit: boolean) => () =>
      void router.navigate({
        to: '/users/$userId',
        params: { userId: row.id },
        search: edit ? { edit } : {},
      });
    return [
      { label: 'Open', icon: UserRound, onSelect: open(false) },
      { label: 'Edit', icon: Pencil, onSelect: open(true), disabledReason: change.reason },
      'line',
      { label: 'Copy id', icon: Hash, onSelect: () => void copyText(String(row.id)) },
      { label: 'Copy e-mail', icon: AtSign, onSelect: () => void copyText(row.email) },
      'line',
      ...danger(row),
    ];
  };
}
