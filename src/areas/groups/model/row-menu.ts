import { useRouter } from '@tanstack/react-router';
import { Grid3x3, Hash, Pencil, Trash2, UserPlus, UsersRound } from 'lucide-react';
import type { GroupInfoResponse } from '../../../api/generated/types.gen.ts';
import { useAllowed } from '../../../api/session.ts';
import type { MenuItemData, MenuItems } from '../../../ui/menu/menu-items.ts';
import { copyText } from '../../../ui/button/copy.ts';
import { useGroupReason } from './group-capabilities.ts';
import { useDeleteGroup } from '../pages/actions.tsx';

/** Deleting as the menus of the list and of the page both offer it; a list may not know yet what the group gives. */
export function useDeleteItem(leave?: () => Promise<unknown>) {
  const { reason } = useAllowed('deleteGroup');
  const holds = useGroupReason();
  const remove = useDeleteGroup();
  return (group: GroupInfoResponse, gives: Parameters<typeof holds>[0]): MenuItemData => ({
    label: 'Delete group',
    icon: Trash2,
    danger: true,
    disabledReason: reason ?? holds(gives),
    onSelect: () => void remove(group, leave),
  });
}

/** What can be done with one row of the list. */
export function useGroupMenu(given: ReadonlyMap<number, Parameters<ReturnType<typeof useGroupReason>>[0]>) {
  const router = useRouter();
  const update = useAllowed('updateGroup');
  const assign = useAllowed('assignGroups');
  const holds = useGroupReason();
  const deletion = useDeleteItem();
  return (group: GroupInfoResponse): MenuItems => {
    const params = { groupId: group.id };
    const gives = given.get(group.id);
    return [
      {
        label: 'Open',
        icon: UsersRound,
        onSelect: () => void router.navigate({ to: '/groups/$groupId', params }),
      },
      {
        label: 'Edit',
        icon: Pencil,
        disabledReason: update.reason,
        onSelect: () => void router.navigate({ to: '/groups/edit/$groupId', params, search: (now) => now }),
      },
      {
        label: 'Add people',
        icon: UserPlus,
        disabledReason: assign.reason ?? holds(gives),
        onSelect: () => void router.navigate({ to: '/groups/$groupId/add', params }),
      },
      {
        label: 'Show in the matrix',
        icon: Grid3x3,
        onSelect: () => void router.navigate({ to: '/groups/matrix', search: { columns: group.id } }),
      },
      { label: 'Copy id', icon: Hash, onSelect: () => void copyText(String(group.id)) },
      'line',
      deletion(group, gives),
    ];
  };
}
