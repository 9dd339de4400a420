import { useMemo } from 'react';
import { usePeopleById } from '../../../directory/directory.ts';

/** Returns a function that maps these user ids to names. Users missing from the directory get "User 7". */
export function useUserNames(userIds: readonly number[]): (userId: number) => string {
  const key = userIds.join();
  // Keeps the array stable while it has the same ids.
  const ids = useMemo(() => (key === '' ? [] : key.split(',').map(Number)), [key]);
  const people = usePeopleById(ids);
  return (userId) => people.get(userId)?.name ?? `User ${userId}`;
}
