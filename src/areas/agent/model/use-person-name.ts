import { useSession } from '../../../api/session.ts';
import { usePeopleById } from '../../../directory/directory.ts';

/** Name of the person for whom an agent reads; the own name says so. */
export function usePersonName(userId: number): string {
  const { user } = useSession();
  const people = usePeopleById([userId]);
  return userId === user.id
    ? `${user.firstName} ${user.lastName} (you)`
    : (people.get(userId)?.name ?? `User ${userId}`);
}
