import { queryOptions } from '@tanstack/react-query';
import { capabilities, capabilitiesNotHeld } from '../../contract/rules/capabilities.ts';
import { getGroupQueryKey, listGroupsQueryKey } from '../api/generated/@tanstack/react-query.gen.ts';
import { getGroup, listGroups } from '../api/generated/sdk.gen.ts';
import type { Capability, GroupInfoResponse, UserGroupEntityVm } from '../api/generated/types.gen.ts';
import { tagged } from '../api/tagged.ts';
import type { Tagged } from '../api/tagged.ts';
import { everyPage } from './pages.ts';

/** Runs calls at most so many at a time, in the order in which they were asked for. */
function createLanes(atOnce: number): <Result>(call: () => Promise<Result>) => Promise<Result> {
  const waiting: (() => void)[] = [];
  let running = 0;
  const leave = () => {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  };
  return async (call) => {
    // Who leaves hands its place to the next: `running` stays.
    if (running >= atOnce) await new Promise<void>((enter) => waiting.push(enter));
    else running += 1;
    try {
      return await call();
    } finally {
      leave();
    }
  };
}

const STALE = 5 * 60_000;
const isCapability = (name: string): name is Capability => capabilities.some((one) => one.name === name);

// Only a call per group tells its capabilities (shapes 2); a page of groups must not keep every other call waiting.
const inLane = createLanes(4);

const collator = new Intl.Collator(undefined, { numeric: true });

/** The order of groups wherever nothing else is asked for. */
export const byName = (a: { name: string }, b: { name: string }): number => collator.compare(a.name, b.name);

/** Every group of the site, read now. */
export const readEveryGroup = (signal?: AbortSignal): Promise<GroupInfoResponse[]> =>
  everyPage((query) => listGroups({ query, ...(signal && { signal }) }));

/** Every group of the site by name. */
export const groupsQuery = queryOptions({
  queryKey: [{ ...listGroupsQueryKey()[0], all: true }],
  queryFn: async ({ signal }) => (await readEveryGroup(signal)).toSorted(byName),
});

/** One group with its capabilities and the entity tag that an edit of it sends back. */
export const groupQuery = (groupId: number) =>
  queryOptions({
    queryKey: [{ ...getGroupQueryKey({ path: { groupId } })[0], tagged: true }],
    queryFn: ({ signal }): Promise<Tagged<UserGroupEntityVm>> => inLane(() => readGroup(groupId, signal)),
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

const list = new Intl.ListFormat('en');

/** What somebody lacks to give or take a group, by name: nobody grants what they do not hold. Undefined: nothing. */
export function lackingFor(held: readonly Capability[], given: readonly Capability[]): string | undefined {
  const missing = capabilitiesNotHeld(held, given);
  return missing.length === 0 ? undefined : list.format(missing);
}
