import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Capability } from '../../../../contract/generated/types.gen.ts';
import { findAllIds, readDirectoryRows, useDirectory } from '../../../directory/directory.ts';
import { getGroupCapabilities, groupQuery } from '../../../directory/groups.ts';
import { createMembersQuery } from '../model/members-view.ts';
import { computeEffects } from './effects.ts';
import type { Effect } from './effects.ts';

interface EffectsInput {
  groupId: number;
  before: readonly Capability[];
  after: readonly Capability[];
}

/** Effects of a change; undefined while they are computed. */
export interface EffectsPreviewState {
  effects: readonly Effect[] | undefined;
  /** The other groups of the members could not be loaded, or the directory is incomplete. */
  failed: boolean;
}

/** Computes the effects of changed capabilities. Other groups of the members are loaded only if something changes. */
export function useEffects({ groupId, before, after }: EffectsInput): EffectsPreviewState {
  const client = useQueryClient();
  const { version, complete } = useDirectory();
  const changes = before.join() !== after.join();
  const { data, isError } = useQuery({
    queryKey: ['members-with-groups', groupId, version],
    async queryFn() {
      const members = await readDirectoryRows(await findAllIds(createMembersQuery(groupId)));
      const groupIds = new Set(members.flatMap(({ groups }) => groups));
      groupIds.delete(groupId);
      const given = await Promise.all(
        [...groupIds].map(async (id) => {
          const { data: group } = await client.fetchQuery(groupQuery(id));
          return [id, getGroupCapabilities(group)] as const;
        }),
      );
      return { members, given: new Map(given) };
    },
    enabled: changes && complete,
    // Capabilities of other groups may change at any time, so each panel loads them again.
    gcTime: 0,
  });
  const effects = useMemo(
    () => (changes ? data && computeEffects({ groupId, before, after }, data.members, data.given) : []),
    [changes, data, groupId, before, after],
  );
  return { effects, failed: changes && isError };
}
