import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { AtSign, Hash, Pencil, UserCheck, UserMinus, UserRound, UserX } from 'lucide-react';
import { withEtag } from '../../../api/etag.ts';
import { updateUserMutation } from '../../../api/generated/queries/users.gen.ts';
import { getUser, removeUser } from '../../../api/generated/sdk/users.gen.ts';
import { useSession, usePermission } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { toastUndoable } from '../../../app/state/undo.ts';
import { removeFromDirectory } from '../../../directory/directory.ts';
import type { DirectoryRow } from '../../../directory/engine/row.ts';
import { copyText } from '../../../ui/button/CopyButton.tsx';
import { confirmIrreversible } from '../../../ui/dialog/confirm-irreversible.tsx';
import { confirm } from '../../../ui/dialog/confirm.ts';
import type { MenuItemData, MenuItems } from '../../../ui/menu/menu-items.ts';
import { toast } from '../../../ui/toast.ts';
import { toUserWriteError } from './write-errors.ts';

/** User that an action concerns, as known to the list and the page. */
export interface Person {
  id: number;
  name: string;
  email: string;
  isActive: boolean;
}

type AfterRemoval = () => Promise<unknown>;
const stayOnPage: AfterRemoval = () => Promise.resolve();

/** Runs a write and rethrows its error with a message for the user. */
async function withUserError<Result>(write: Promise<Result>): Promise<Result> {
  try {
    return await write;
  } catch (thrown) {
    throw toUserWriteError(thrown);
  }
}

/** The version of a user, for `If-Match`. */
export const readVersion = async (userId: number): Promise<string | undefined> =>
  withEtag(await getUser({ path: { userId } })).etag;

/** Actions on one user that ask for confirmation. Each resolves to whether it was done. */
export function useUserActions() {
  const { site, user: ownUser } = useSession();
  const client = useQueryClient();
  const update = useWrite('updateUser', updateUserMutation());
  const removal = useWrite('removeUser', {
    async mutationFn({ userId, leave }: { userId: number; leave: AfterRemoval }) {
      await removeUser({ path: { userId } });
      removeFromDirectory(client, [userId]);
      // Leaves the user's page before it would read the removed user again.
      await leave();
    },
  });

  const deactivate = async ({ id, name }: Person): Promise<boolean> => {
    const done = await confirm({
      title: `Deactivate ${name}?`,
      body:
        id === ownUser.id
          ? 'This is you. You are signed out everywhere immediately, and someone else has to activate you again.'
          : 'Signs them out everywhere at once, and they cannot sign in again. Their data, license and groups stay; a billable license stays billable. You can activate them again at any time.',
      action: 'Deactivate',
      danger: true,
      run: () => withUserError(update.mutateAsync({ body: { id, isActive: false } })),
    });
    if (done)
      toastUndoable({
        title: `${name} is inactive`,
        subject: name,
        undone: `${name} is active again`,
        readVersion: () => readVersion(id),
        revert: (match) => update.mutateAsync({ body: { id, isActive: true }, ...match }),
      });
    return done;
  };

  const activate = async ({ id, name }: Person): Promise<boolean> => {
    const done = await confirm({
      title: `Activate ${name}?`,
      body: 'They can sign in again with the password, license and groups they had.',
      action: 'Activate',
      run: () => withUserError(update.mutateAsync({ body: { id, isActive: true } })),
    });
    if (done)
      toastUndoable({
        title: `${name} is active`,
        subject: name,
        undone: `${name} is inactive again`,
        readVersion: () => readVersion(id),
        revert: (match) => update.mutateAsync({ body: { id, isActive: false }, ...match }),
      });
    return done;
  };

  const remove = async ({ id, name, email }: Person, leave: AfterRemoval = stayOnPage): Promise<boolean> => {
    const done = await confirmIrreversible({
      title: `Remove ${name} from ${site.name}?`,
      irreversible: 'To return, they have to be added again, with their license and groups.',
      breaks: `Their membership of ${site.name} ends: they are signed out and lose their license, groups and API key here. Their account stays on the platform and on other sites.`,
      affects: `${name}, programs with their API key, and the users they act for.`,
      action: 'Remove from site',
      expectedText: email,
      run: () => withUserError(removal.mutateAsync({ userId: id, leave })),
    });
    if (done) toast({ title: `${name} was removed from ${site.name}` });
    return done;
  };

  return { activate, deactivate, remove };
}

/** Menu items of the list and the page: activate or deactivate, and remove. */
export function useAccountMenuItems(
  leave?: () => Promise<unknown>,
): (person: Person) => readonly MenuItemData[] {
  const { activate, deactivate, remove } = useUserActions();
  const updatePermission = usePermission('updateUser');
  const removePermission = usePermission('removeUser');
  return (person) => [
    person.isActive
      ? {
          label: 'Deactivate',
          icon: UserX,
          disabledReason: updatePermission.reason,
          onSelect: () => void deactivate(person),
        }
      : {
          label: 'Activate',
          icon: UserCheck,
          disabledReason: updatePermission.reason,
          onSelect: () => void activate(person),
        },
    {
      label: 'Remove from site',
      icon: UserMinus,
      danger: true,
      disabledReason: removePermission.reason,
      onSelect: () => void remove(person, leave),
    },
  ];
}

/** Menu of one row of the list. */
export function useRowMenu(): (row: DirectoryRow) => MenuItems {
  const router = useRouter();
  const updatePermission = usePermission('updateUser');
  const getAccountItems = useAccountMenuItems();
  return (row) => {
    const open = (edit: boolean) => () =>
      void router.navigate({
        to: '/users/$userId',
        params: { userId: row.id },
        search: edit ? { edit } : {},
      });
    return [
      { label: 'Open', icon: UserRound, onSelect: open(false) },
      { label: 'Edit', icon: Pencil, onSelect: open(true), disabledReason: updatePermission.reason },
      'line',
      { label: 'Copy id', icon: Hash, onSelect: () => void copyText(String(row.id)) },
      { label: 'Copy e-mail', icon: AtSign, onSelect: () => void copyText(row.email) },
      'line',
      ...getAccountItems(row),
    ];
  };
}
