import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useAllowed } from '../../api/session.ts';
import { registerPaletteSource } from '../../shell/palette/registry.ts';

/** Lets the palette find people, where one may see them. The directory is read when it is first asked. */
export function usePeopleSource(): void {
  const client = useQueryClient();
  const router = useRouter();
  const { allowed } = useAllowed('searchUsers');
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
