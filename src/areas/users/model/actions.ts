import { useQueryClient } from '@tanstack/react-query';
import { updateUserMutation } from '../../../api/generated/@tanstack/react-query.gen.ts';
import { removeUser } from '../../../api/generated/sdk.gen.ts';
import { useSession } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { forgetUsers } from '../../../directory/directory.ts';
import { confirm } from '../../../ui/dialog/confirm.ts';
import { passOneWayDoor } from '../../../ui/dialog/one-way-door.tsx';
import { toast } from '../../../ui/feedback/toast.ts';
import { wordsFor } from './words.ts';

/** Whom an act is about, as the list and the page both know them. */
export interface Person {
  id: number;
  name: string;
  email: string;
  isActive: boolean;
}

type Leave = () => Promise<unknown>;
const stay: Leave = () => Promise.resolve();

/** Runs a write so that a dialog shows its failure in words. */
async function inWords<Result>(write: Promise<Result>): Promise<Result> {
  try {
    return await write;
  } catch (thrown) {
    throw wordsFor(thrown);
  }
}

/** The acts on one user that ask first. Each resolves to whether it was done. */
export function useUserActions() {
  const { site, user: me } = useSession();
  const client = useQueryClient();
  const update = useWrite('updateUser', updateUserMutation());
  const removal = useWrite('removeUser', {
    async mutationFn({ userId, leave }: { userId: number; leave: Leave }) {
      await removeUser({ path: { userId } });
      forgetUsers(client, [userId]);
      // Their page would read them again, and they are gone.
      await leave();
    },
  });

  const deactivate = async ({ id, name }: Person): Promise<boolean> => {
    const done = await confirm({
      title: `Deactivate ${name}?`,
      body:
        id === me.id
          ? 'This is you. You are signed out everywhere at once, and somebody else has to activate you again.'
          : 'Signs them out everywhere at once, and they cannot sign in again. Their data, license and groups stay; a billable license stays billable. You can activate them again at any time.',
      action: 'Deactivate',
      danger: true,
      run: () => inWords(update.mutateAsync({ body: { id, isActive: false } })),
    });
    if (done) toast({ title: `${name} is inactive` });
    return done;
  };

  const activate = async ({ id, name }: Person): Promise<boolean> => {
    const done = await confirm({
      title: `Activate ${name}?`,
      body: 'They can sign in again with the password, license and groups they had.',
      action: 'Activate',
      run: () => inWords(update.mutateAsync({ body: { id, isActive: true } })),
    });
    if (done) toast({ title: `${name} is active` });
    return done;
  };

  const remove = async ({ id, name, email }: Person, leave: Leave = stay): Promise<boolean> => {
    const done = await passOneWayDoor({
      title: `Remove ${name} from ${site.name}?`,
      final:
        'They do not come back by themselves: they have to be added again, with their license and groups.',
      breaks: `Their membership of ${site.name} ends: they are signed out, and their license, groups and API key here are given up. Their account stays on the platform and on other sites.`,
      affects: `${name}, whoever runs programs with their API key, and those for whom they act.`,
      action: 'Remove from site',
      typed: email,
      run: () => inWords(removal.mutateAsync({ userId: id, leave })),
    });
    if (done) toast({ title: `${name} was removed from ${site.name}` });
    return done;
  };

  return { activate, deactivate, remove };
}
