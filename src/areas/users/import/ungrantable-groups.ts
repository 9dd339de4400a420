import type { QueryClient } from '@tanstack/react-query';
import type { Capability } from '../../../../contract/generated/types.gen.ts';
import { capabilities } from '../../../../contract/rules/people/capabilities.ts';
import { toServiceError } from '../../../api/errors.ts';
import { getGroupCapabilities, groupQuery, formatMissingToGrant } from '../../../directory/groups.ts';

const ALL = capabilities.map(({ name }) => name);

/** Groups among `groupIds` with capabilities the user does not hold, with the missing ones. */
export async function loadUngrantableGroups(
  client: QueryClient,
  ownCapabilities: readonly Capability[],
  groupIds: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const ungrantableGroups = new Map<number, string>();
  // A user with all capabilities can grant every group.
  if (formatMissingToGrant(ownCapabilities, ALL) === undefined) return ungrantableGroups;
  await Promise.all(
    groupIds.map(async (id) => {
      try {
        const { data } = await client.fetchQuery(groupQuery(id));
        const lacks = formatMissingToGrant(ownCapabilities, getGroupCapabilities(data));
        if (lacks !== undefined) ungrantableGroups.set(id, lacks);
      } catch (thrown) {
        // The group was deleted; its rows fail when they are sent.
        if (toServiceError(thrown).status !== 404) throw thrown;
      }
    }),
  );
  return ungrantableGroups;
}
