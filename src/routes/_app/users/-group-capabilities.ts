import { useQueries } from '@tanstack/react-query';
import { capabilities, capabilitiesNotHeld } from '../../../../contract/rules/capabilities.ts';
import { getGroupOptions } from '../../../api/generated/@tanstack/react-query.gen.ts';
import type { Capability } from '../../../api/generated/types.gen.ts';
import { useSession } from '../../../api/session.ts';

const STALE = 5 * 60_000;
const isCapability = (name: string): name is Capability => capabilities.some((one) => one.name === name);

/** The capabilities of groups, by id; a group that has not been read yet is missing. */
export function useGroupCapabilities(
  groupIds: readonly number[],
): ReadonlyMap<number, readonly Capability[]> {
  return useQueries({
    queries: groupIds.map((groupId) => ({ ...getGroupOptions({ path: { groupId } }), staleTime: STALE })),
    combine: (answers) =>
      new Map(
        answers.flatMap(({ data }) =>
          data ? [[data.id, data.capabilities.filter(isCapability)] as const] : [],
        ),
      ),
  });
}

const list = new Intl.ListFormat('en');

/** Says why somebody may not give or take a group: nobody grants what they do not hold. Undefined: they may. */
export function useGroupReason(): (
  capabilitiesOfGroup: readonly Capability[] | undefined,
) => string | undefined {
  const session = useSession();
  return (given) => {
    const missing = capabilitiesNotHeld(session.capabilities, given ?? []);
    return missing.length === 0 ? undefined : `Gives ${list.format(missing)}, which you do not have`;
  };
}

/** "Read Data, Write Data", in the order in which capabilities are shown everywhere. */
export function namesOfCapabilities(given: Iterable<Capability>): string {
  const all = new Set(given);
  return capabilities
    .filter(({ name }) => all.has(name))
    .map(({ name }) => name)
    .join(', ');
}
