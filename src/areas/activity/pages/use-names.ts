import { useMemo } from 'react';
import { usePeople } from '../../../directory/directory.ts';

/** How these people are called; whoever is not known here is told by id. */
export function useNames(userIds: readonly number[]): (userId: number) => string {
  const key = userIds.join();
  // The same people are the same list, however it came about.
  const ids = useMemo(() => (key === '' ? [] : key.split(',').map(Number)), [key]);
  const people = usePeople(ids);
  return (userId) => people.get(userId)?.name ?? `User ${userId}`;
}
