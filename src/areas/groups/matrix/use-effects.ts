import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Capability } from '../../../api/generated/types.gen.ts';
import { findAll, rowsOf, useDirectory } from '../../../directory/directory.ts';
import { capabilitiesOf, groupQuery } from '../../../directory/groups.ts';
import { effectsOf } from './effects.ts';
import type { Effect } from './effects.ts';
import { membersOf } from '../model/members-view.ts';

interface Asked {
  groupId: number;
  before: readonly Capability[];
  after: readonly Capability[];
}

/** What is known of an intended change: who gains and loses by it; undefined while that is being found out. */
export interface Preview {
  effects: readonly Effect[] | undefined;
  /** The other groups of the members could not be read, or the directory is not complete. */
  failed: boolean;
}

/** Who would gain and lose what. The other groups of the members are asked only where something changes. */
export function useEffects({ groupId, before, after }: Asked): Preview {
  const client = useQueryClient();
  const { version, complete } = useDirectory();
  const changes = before.join() !== after.join();
  const { data, isError } = useQuery({
    queryKey: ['members-with-groups', groupId, version],
    async queryFn() {
      const members = await rowsOf(await findAll(membersOf(groupId)));
      const groupIds = new Set(members.flatMap(({ groups }) => groups));
      groupIds.delete(groupId);
      const given = await Promise.all(
        [...groupIds].map(async (id) => {
          const { data: group } = await client.fetchQuery(groupQuery(id));
          return [id, capabilitiesOf(group)] as const;
        }),
      );
      return { members, given: new Map(given) };
    },
    enabled: changes && complete,
    // What other groups give may change without the directory: each panel asks anew.
    gcTime: 0,
  });
  const effects = useMemo(
    () => (changes ? data && effectsOf({ groupId, before, after }, data.members, data.given) : []),
    [changes, data, groupId, before, after],
  );
  return { effects, failed: changes && isError };
}
