import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { UserRoundPlus } from 'lucide-react';
import { useEffect, useMemo } from 'react';
import { useAllowed } from '../../api/session.ts';
import { registerPaletteSource, useOfferActions } from '../../shell/palette/registry.ts';

/**
 * Lets the palette find people, where one may see them, and create one. The directory is read when it is
 * first asked.
 */
export function usePeopleSource(): void {
  const client = useQueryClient();
  const router = useRouter();
  const { allowed } = useAllowed('searchUsers');
  const creating = useAllowed('createUser').allowed;
  const actions = useMemo(
    () =>
      creating
        ? [{ label: 'New user', icon: UserRoundPlus, run: () => void router.navigate({ to: '/users/new' }) }]
        : [],
    [creating, router],
  );
  useOfferActions(actions);
  useEffect(() => {
    if (!allowed) return;
    registerPaletteSource({
      name: 'People',
      async find(typed) {
        const { findPeople } = await import('../../directory/people.ts');
        return findPeople(
          client,
          typed,
          (userId) => void router.navigate({ to: '/users/$userId', params: { userId } }),
        );
      },
    });
  }, [allowed, client, router]);
}
