import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { Activity, MailPlus, UserRoundPlus } from 'lucide-react';
import { useEffect, useMemo } from 'react';
import { holderOf } from '../../api/session-query.ts';
import { useAllowed, useSession } from '../../api/session.ts';
import { directoryFor } from '../../directory/visitor.ts';
import { registerPaletteSource, useOfferActions } from '../../app/palette/registry.ts';
import { useInviteAction } from '../invitations/model/use-invite-action.ts';

const MOST = 8;
const ACTIVITY_OF = /^activity(?: of)?\s+(.*\S)/i;

/**
 * Lets the palette find people and, asked for "activity of" somebody, what they did, where one may see that; and create
 * or invite some. The directory is read when it is first asked.
 */
export function usePeopleSource(): void {
  const client = useQueryClient();
  const router = useRouter();
  const { userId, siteId } = holderOf(useSession());
  const { allowed } = useAllowed('searchUsers');
  const reporting = useAllowed('queryUserActivity').allowed;
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
        const asked = reporting ? ACTIVITY_OF.exec(typed)?.[1] : undefined;
        const people = await findPeople(asked ?? typed, MOST);
        return people.map(({ id, name, email }) => {
          const params = { userId: id };
          if (asked === undefined)
            return {
              label: name,
              hint: email,
              run: () => void router.navigate({ to: '/users/$userId', params }),
            };
          const run = () => void router.navigate({ to: '/users/$userId/activity', params });
          return { label: `Activity of ${name}`, hint: email, icon: Activity, run };
        });
      },
    });
  }, [allowed, reporting, router]);
  useEffect(() => directoryFor({ client, holder: { userId, siteId } }), [client, userId, siteId]);
}
