import type { ProxyChanges, Capability } from '../../../../contract/generated/types.gen.ts';
import { getActingCapabilities } from '../../../../contract/rules/people/proxies.ts';
import { sortCapabilities } from '../../../directory/groups.ts';
import type { Assignments } from './assignments.ts';

/** Users to assign to a proxy, added to its list or replacing it. */
export interface AssignmentRequest {
  proxyUserId: number;
  userIds: readonly number[];
  replace: boolean;
}

/** Effect of an assignment request. All members are user ids. */
export interface AssignmentPlan {
  add: readonly number[];
  remove: readonly number[];
  /** Requested and already assigned. */
  unchanged: readonly number[];
  /** Added users whose assignment creates a cycle. */
  closingCycle: readonly number[];
}

/** Compares a request with the current assignments. */
export function planAssignments(
  { proxyUserId, userIds, replace }: AssignmentRequest,
  assignments: Assignments,
): AssignmentPlan {
  const current = assignments.usersByProxy.get(proxyUserId) ?? [];
  const requested = new Set(userIds);
  requested.delete(proxyUserId);
  const add = [...requested].filter((id) => !current.includes(id));
  return {
    add,
    remove: replace ? current.filter((id) => !requested.has(id)) : [],
    unchanged: current.filter((id) => requested.has(id)),
    closingCycle: add.filter((id) => reaches(id, proxyUserId, assignments)),
  };
}

/** Whether `from` may act for `to`, directly or through others. */
function reaches(from: number, to: number, { usersByProxy }: Assignments): boolean {
  const seen = new Set([from]);
  for (const id of seen) for (const next of usersByProxy.get(id) ?? []) seen.add(next);
  return seen.has(to);
}

/** Single additions and removals of a plan, so that concurrent changes of other assignments are kept. */
export const toProxyChanges = (proxyUserId: number, { add, remove }: AssignmentPlan): ProxyChanges => ({
  add: add.map((userId) => ({ proxyUserId, userId })),
  remove: remove.map((userId) => ({ proxyUserId, userId })),
});

/** Reason why a person cannot be selected, by the rules of the service (spec 2.3; shapes 2). */
export function getRefusalReason(
  person: { id: number; isActive: boolean },
  { otherEnd, assigned }: { otherEnd: number | undefined; assigned: ReadonlySet<number> },
): string | undefined {
  if (person.id === otherEnd) return 'Users cannot act for themselves';
  if (!person.isActive) return 'Inactive: activate them first';
  return assigned.has(person.id) ? 'Assigned already' : undefined;
}

interface Member {
  name: string;
  groups: readonly number[];
}

/** A capability that a proxy can use when acting for others. */
export interface ReachableCapability {
  capability: Capability;
  /** Names of the users who pass it on. */
  through: readonly string[];
  /** Whether the proxy does not hold it. */
  isNew: boolean;
}

type CapabilitiesByGroup = ReadonlyMap<number, readonly Capability[]>;

/** Capabilities granted by the groups of a user. */
const getHeldCapabilities = ({ groups }: Member, capabilitiesByGroup: CapabilitiesByGroup): Capability[] =>
  sortCapabilities(groups.flatMap((groupId) => capabilitiesByGroup.get(groupId) ?? []));

/** Capabilities a proxy can use when acting for the users; those the proxy does not hold come first (spec 2.3; shapes 2). */
export function getReachableCapabilities(
  proxy: Member,
  users: readonly Member[],
  capabilitiesByGroup: CapabilitiesByGroup,
): ReachableCapability[] {
  const own = new Set(getHeldCapabilities(proxy, capabilitiesByGroup));
  const sources = users.map((user) => ({
    name: user.name,
    passed: getActingCapabilities(getHeldCapabilities(user, capabilitiesByGroup)),
  }));
  const reachable = sortCapabilities(sources.flatMap(({ passed }) => [...passed])).map((capability) => ({
    capability,
    through: sources.filter(({ passed }) => passed.has(capability)).map(({ name }) => name),
    isNew: !own.has(capability),
  }));
  return [...reachable.filter(({ isNew }) => isNew), ...reachable.filter(({ isNew }) => !isNew)];
}

/** Capabilities that users pass on to a proxy. */
export const getPassedOnCapabilities = (
  users: readonly Member[],
  capabilitiesByGroup: CapabilitiesByGroup,
): Capability[] =>
  sortCapabilities(
    getActingCapabilities(users.flatMap((user) => getHeldCapabilities(user, capabilitiesByGroup))),
  );

/** Capabilities that users hold and cannot pass on to a proxy. */
export function getWithheldCapabilities(
  users: readonly Member[],
  capabilitiesByGroup: CapabilitiesByGroup,
): Capability[] {
  const held = sortCapabilities(users.flatMap((user) => getHeldCapabilities(user, capabilitiesByGroup)));
  const passed = getActingCapabilities(held);
  return held.filter((capability) => !passed.has(capability));
}
