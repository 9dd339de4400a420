import { useQueries } from '@tanstack/react-query';
import type { Capability, UserGroupEntityVm } from '../../../api/generated/types.gen.ts';
import { useSession } from '../../../api/session.ts';
import type { Tagged } from '../../../api/tagged.ts';
import { capabilitiesOf, groupQuery, inOrder, lackingFor } from '../../../directory/groups.ts';

/**
 * The capabilities of groups, by id; a group that has not been read yet is missing. Whoever asks shares the answers:
 * each group is read once, some at a time.
 */
export function useGroupCapabilities(
  groupIds: readonly number[],
): ReadonlyMap<number, readonly Capability[]> {
  return useQueries({ queries: groupIds.map(groupQuery), combine: byGroup });
}

// A constant, so that the map stays the same until an answer changes.
const byGroup = (
  answers: readonly { data: Tagged<UserGroupEntityVm> | undefined }[],
): ReadonlyMap<number, readonly Capability[]> =>
  new Map(answers.flatMap(({ data }) => (data ? [[data.data.id, capabilitiesOf(data.data)] as const] : [])));

/** Says why somebody may not give or take a group: nobody grants what they do not hold. Undefined: they may. */
export function useGroupReason(): (
  capabilitiesOfGroup: readonly Capability[] | undefined,
) => string | undefined {
  const session = useSession();
  return (given) => {
    const missing = lackingFor(session.capabilities, given ?? []);
    return missing === undefined ? undefined : `Gives ${missing}, which you do not have`;
  };
}

/** "Read Data, Write Data", in the order in which capabilities are shown everywhere. */
export const namesOfCapabilities = (given: Iterable<Capability>): string => inOrder(given).join(', ');
