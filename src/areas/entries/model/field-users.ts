import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { QueryClient } from '@tanstack/react-query';
import { foldText } from '../../../../contract/rules/fold-text.ts';
import { listSchemaUsersOptions } from '../../../api/generated/queries/schema.gen.ts';
import { usePermission } from '../../../api/session.ts';
import { findPeople, readDirectoryRows } from '../../../directory/directory.ts';

/** A user that a user field can refer to. */
export interface FieldUser {
  id: number;
  name: string;
  email?: string | undefined;
}

const USERS_STALE_TIME_MS = 5 * 60_000;
const loadSchemaUsers = (client: QueryClient): Promise<readonly FieldUser[]> =>
  client.ensureQueryData({ ...listSchemaUsersOptions(), staleTime: USERS_STALE_TIME_MS });

/** Finds users whose name or e-mail address contains the text, at most `limit`. */
export type UserFinder = (text: string, limit: number) => Promise<readonly FieldUser[]>;

/**
 * Finds users in the directory. Sessions without access to the directory search the users that user fields can refer to
 * (`listSchemaUsers`).
 */
export function useUserFinder(): UserFinder {
  const client = useQueryClient();
  const { allowed } = usePermission('searchUsers');
  return async (text, limit) => {
    if (allowed) return findPeople(text, limit);
    const needle = foldText(text);
    return (await loadSchemaUsers(client))
      .filter(({ name, email = '' }) => foldText(`${name} ${email}`).includes(needle))
      .slice(0, limit);
  };
}

const NO_NAMES: ReadonlyMap<number, string> = new Map();

/**
 * Names of users by id; ids that are not found are missing. Users who are not in the directory, which may still be
 * loading, are looked up in `listSchemaUsers`.
 */
export function useUserNames(ids: readonly number[]): ReadonlyMap<number, string> {
  const client = useQueryClient();
  const { allowed } = usePermission('searchUsers');
  const { allowed: mayListValues } = usePermission('listSchemaUsers');
  const { data = NO_NAMES } = useQuery({
    queryKey: [{ _id: 'listSchemaUsers', names: ids, allowed }],
    async queryFn() {
      const known: readonly FieldUser[] = allowed ? await readDirectoryRows(ids) : [];
      const missing = new Set(ids);
      for (const { id } of known) missing.delete(id);
      const others = missing.size > 0 && mayListValues ? await loadSchemaUsers(client) : [];
      return new Map(
        [...known, ...others.filter(({ id }) => missing.has(id))].map(({ id, name }) => [id, name]),
      );
    },
    enabled: ids.length > 0,
  });
  return data;
}
