import { useQueries } from '@tanstack/react-query';
import type { Capability, UserGroupEntityVm } from '../../../../contract/generated/types.gen.ts';
import type { WithEtag } from '../../../api/etag.ts';
import { useSession } from '../../../api/session.ts';
import {
  getGroupCapabilities,
  groupQuery,
  sortCapabilities,
  formatMissingToGrant,
} from '../../../directory/groups.ts';

/**
 * Capabilities by group id; groups not loaded yet are missing. The queries are shared and each group is loaded once.
 */
export function useGroupCapabilities(
  groupIds: readonly number[],
): ReadonlyMap<number, readonly Capability[]> {
  return useQueries({ queries: groupIds.map(groupQuery), combine: combineByGroup });
}

// A constant, so that the map keeps its identity until a result changes.
const combineByGroup = (
  answers: readonly { data: WithEtag<UserGroupEntityVm> | undefined }[],
): ReadonlyMap<number, readonly Capability[]> =>
  new Map(
    answers.flatMap(({ data }) => (data ? [[data.data.id, getGroupCapabilities(data.data)] as const] : [])),
  );

/**
 * Returns a function with the reason why the user may not add or remove members of a group: nobody grants capabilities
 * they do not hold.
 */
export function useGrantCheck(): (
  capabilitiesOfGroup: readonly Capability[] | undefined,
) => string | undefined {
  const session = useSession();
  return (given) => {
    const missing = formatMissingToGrant(session.capabilities, given ?? []);
    return missing === undefined ? undefined : `Grants ${missing}, which you do not have`;
  };
}

/** Formats capabilities in display order: "Read Data, Write Data". */
export const formatCapabilities = (given: Iterable<Capability>): string => sortCapabilities(given).join(', ');
