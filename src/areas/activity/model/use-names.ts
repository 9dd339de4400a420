import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { UserChange } from '../../../../contract/generated/types.gen.ts';
import { usePermission } from '../../../api/session.ts';
import { useDirectory, usePeopleById } from '../../../directory/directory.ts';
import { typesQuery } from '../../entries/index.ts';
import { collectUserIds } from './change-format.ts';
import type { NameResolver } from './change-format.ts';

/** Returns a function that maps these user ids to names. Users missing from the directory get "User 7". */
export function useUserNames(userIds: readonly number[]): (userId: number) => string {
  const key = userIds.join();
  // Keeps the array stable while it has the same ids.
  const ids = useMemo(() => (key === '' ? [] : key.split(',').map(Number)), [key]);
  const people = usePeopleById(ids);
  return (userId) => people.get(userId)?.name ?? `User ${userId}`;
}

/** Returns the names of the users, groups and entry types that changes refer to. */
export function useNameResolver(changes: readonly Pick<UserChange, 'changes'>[]): NameResolver {
  const { groups } = useDirectory();
  const { allowed } = usePermission('listEntryTypes');
  const { data: types = [] } = useQuery({ ...typesQuery, enabled: allowed });
  const getUserName = useUserNames(collectUserIds(changes));
  return {
    getUserName,
    getTypeName: (id) => types.find((type) => type.id === id)?.pluralName ?? `Entry type ${id}`,
    getGroupName: (id) => groups.find((group) => group.id === id)?.name ?? `Group ${id}`,
  };
}
