import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { MailPlus, UserRoundPlus } from 'lucide-react';
import { useEffect, useMemo } from 'react';
import { holderOf, useAllowed, useSession } from '../../api/session.ts';
import { directoryFor } from '../../directory/visitor.ts';
import { registerPaletteSource, useOfferActions } from '../../shell/palette/registry.ts';
import { useInviteAction } from './-invite-action.ts';

const MOST = 8;

/**
 * Lets the palette find people, where one may see them, and create or invite some. The directory is read when it is
 * first asked.
 */
export function usePeopleSource(): void {
  const client = useQueryClient();
  const router = useRouter();
  const { userId, siteId } = holderOf(useSession());
  const { allowed } = useAllowed('searchUsers');
  const creating = useAllowed('createUser').allowed;
  const invite = useInviteAction();
  const inviting = invite.reason === undefined ? invite.label : undefined;
  const actions = useMemo(() => {
    const go = (to: '/users/new' | '/invitations/new') => void router.navigate({ to });
    return [
      ...(creating ? [{ label: 'New user', icon: UserRoundPlus, run: () => go('/users/new') }] : []),
      ...(inviting === undefined
        ? []
        : [{ label: inviting, icon: MailPlus, run: () => go('/invitations/new') }]),
    ];
  }, [creating, inviting, router]);
  useOfferActions(actions);
  useEffect(() => {
    if (!allowed) return;
    registerPaletteSource({
      name: 'People',
      async find(typed) {
        const { findPeople } = await import('../../directory/directory.ts');
        const people = await findPeople(typed, MOST);
        return people.map(({ id, name, email }) => ({
          label: name,
          hint: email,
          run: () => void router.navigate({ to: '/users/$userId', params: { userId: id } }),
        }));
      },
    });
  }, [allowed, router]);
  useEffect(() => directoryFor({ client, holder: { userId, siteId } }), [client, userId, siteId]);
}
