import { queryOptions, useQueries } from '@tanstack/react-query';
import { capabilities, capabilitiesNotHeld } from '../../../../contract/rules/capabilities.ts';
import { getGroupQueryKey } from '../../../api/generated/@tanstack/react-query.gen.ts';
import { getGroup } from '../../../api/generated/sdk.gen.ts';
import type { Capability, UserGroupEntityVm } from '../../../api/generated/types.gen.ts';
import { useSession } from '../../../api/session.ts';
import { tagged } from '../../../api/tagged.ts';
import type { Tagged } from '../../../api/tagged.ts';
import { createLanes } from '../groups/-lanes.ts';

const STALE = 5 * 60_000;
const isCapability = (name: string): name is Capability => capabilities.some((one) => one.name === name);

// Only a call per group tells its capabilities (shapes 2); a page of groups must not keep every other call waiting.
const inLane = createLanes(4);

/** One group with its capabilities and the entity tag that an edit of it sends back. */
export const groupQuery = (groupId: number) =>
  queryOptions({
    queryKey: [{ ...getGroupQueryKey({ path: { groupId } })[0], tagged: true }],
    async queryFn({ client, signal }): Promise<Tagged<UserGroupEntityVm>> {
      const group = await inLane(() => readGroup(groupId, signal));
      // Who asks without the tag, as a dry run does, finds the same answer.
      client.setQueryData(getGroupQueryKey({ path: { groupId } }), group.data);
      return group;
    },
    staleTime: STALE,
  });

/** Reads one group afresh, past the cache. */
export const readGroup = async (groupId: number, signal?: AbortSignal): Promise<Tagged<UserGroupEntityVm>> =>
  tagged(await getGroup({ path: { groupId }, ...(signal && { signal }) }));

/** The capabilities of a group that this console knows, in the order in which they are shown everywhere. */
export const capabilitiesOf = (group: Pick<UserGroupEntityVm, 'capabilities'>): Capability[] =>
  inOrder(group.capabilities.filter(isCapability));

/** Each once, in the order in which capabilities are shown everywhere. */
export function inOrder(given: Iterable<Capability>): Capability[] {
  const all = new Set(given);
  return capabilities.flatMap(({ name }) => (all.has(name) ? [name] : []));
}

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
export const namesOfCapabilities = (given: Iterable<Capability>): string => inOrder(given).join(', ');
