import { useQuery } from '@tanstack/react-query';
import { getUsersByIdsOptions } from '../../../api/generated/@tanstack/react-query.gen.ts';
import { fullName } from '../model/user-query.ts';

/** The name of whoever did something; undefined while it is read. Somebody may have left the site since. */
export function usePersonName(userId: number | null): string | undefined {
  const { data } = useQuery({ ...getUsersByIdsOptions({ body: [userId ?? 0] }), enabled: userId !== null });
  if (userId === null) return 'the system';
  // The call leaves out whom it does not know, where reading one user would be refused.
  const [person] = data ?? [];
  return person ? fullName(person) : data && `user ${userId}, who is no longer on this site`;
}
