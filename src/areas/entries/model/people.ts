import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { QueryClient } from '@tanstack/react-query';
import { listSchemaUsersOptions } from '../../../api/generated/@tanstack/react-query.gen.ts';
import { useAllowed } from '../../../api/session.ts';
import { findPeople, rowsOf } from '../../../directory/directory.ts';
import { fold } from '../../../lib/fold.ts';

/** Somebody whom a user field can name. */
export interface FieldUser {
  id: number;
  name: string;
  email?: string | undefined;
}

const AWHILE = 5 * 60_000;
const everybody = (client: QueryClient): Promise<readonly FieldUser[]> =>
  client.ensureQueryData({ ...listSchemaUsersOptions(), staleTime: AWHILE });

/** The people whose name or address has what was typed, up to so many. */
export type PeopleFinder = (typed: string, most: number) => Promise<readonly FieldUser[]>;

/** Finds people by name: in the directory, or for whoever may only read entries among those that fields can name. */
export function usePeopleFinder(): PeopleFinder {
  const client = useQueryClient();
  const { allowed } = useAllowed('searchUsers');
  return async (typed, most) => {
    if (allowed) return findPeople(typed, most);
    const sought = fold(typed);
    return (await everybody(client))
      .filter(({ name, email = '' }) => fold(`${name} ${email}`).includes(sought))
      .slice(0, most);
  };
}

const NOBODY: ReadonlyMap<number, string> = new Map();

/** How these people are called, as far as it is known. */
export function usePeopleNames(ids: readonly number[]): ReadonlyMap<number, string> {
  const client = useQueryClient();
  const { allowed } = useAllowed('searchUsers');
  const { data = NOBODY } = useQuery({
    queryKey: [{ _id: 'listSchemaUsers', names: ids, allowed }],
    async queryFn() {
      const wanted = new Set(ids);
      const found = allowed ? await rowsOf(ids) : await everybody(client);
      return new Map(found.filter(({ id }) => wanted.has(id)).map(({ id, name }) => [id, name]));
    },
    enabled: ids.length > 0,
  });
  return data;
}
