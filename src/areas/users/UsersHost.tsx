import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { Activity } from 'lucide-react';
import { useEffect } from 'react';
import { getSessionIdentity } from '../../api/session-query.ts';
import { usePermission, useSession } from '../../api/session.ts';
import { registerPaletteSource } from '../../app/state/palette.ts';
import { setDirectorySession } from '../../directory/directory-session.ts';

const MAX_FOUND = 8;
const ACTIVITY_PREFIX = /^activity(?: of)?\s+(.*\S)/i;

/**
 * Adds users to the palette: by name, e-mail or id, and after "activity of" their activity where the user may see it.
 * The directory is loaded with the first search.
 */
export function UsersHost() {
  const client = useQueryClient();
  const router = useRouter();
  const { userId, siteId } = getSessionIdentity(useSession());
  const { allowed } = usePermission('searchUsers');
  const seesActivity = usePermission('queryUserActivity').allowed;
  useEffect(() => {
    if (!allowed) return;
    registerPaletteSource({
      name: 'People',
      async find(text) {
        const { findPeople } = await import('../../directory/directory.ts');
        const activityText = seesActivity ? ACTIVITY_PREFIX.exec(text)?.[1] : undefined;
        const people = await findPeople(activityText ?? text, MAX_FOUND);
        return people.map(({ id, name, email }) => {
          const params = { userId: id };
          if (activityText === undefined)
            return {
              label: name,
              hint: email,
              run: () => void router.navigate({ to: '/users/$userId', params }),
            };
          return {
            label: `Activity of ${name}`,
            hint: email,
            icon: Activity,
            run: () => void router.navigate({ to: '/users/$userId/activity', params }),
          };
        });
      },
    });
  }, [allowed, seesActivity, router]);
  useEffect(() => setDirectorySession({ client, identity: { userId, siteId } }), [client, userId, siteId]);
  return null;
}
