import { capabilitiesWhenActing } from '../../../../contract/rules/proxies.ts';
import type { Capability } from '../../../api/generated/types.gen.ts';
import { inOrder } from '../../../directory/groups.ts';

interface Member {
  name: string;
  groups: readonly number[];
}

/** A capability that a proxy reaches through those they act for. */
export interface Reached {
  capability: Capability;
  /** Through whom. */
  from: readonly string[];
  /** They do not hold it themselves. */
  isNew: boolean;
}

type Given = ReadonlyMap<number, readonly Capability[]>;

/** What the groups of somebody give them together. */
const heldBy = ({ groups }: Member, given: Given): Capability[] =>
  inOrder(groups.flatMap((groupId) => given.get(groupId) ?? []));

/** What a proxy will be able to do as these users, beyond what they hold themselves first (spec 2.3; shapes 2). */
export function reachOf(proxy: Member, users: readonly Member[], given: Given): Reached[] {
  const own = new Set(heldBy(proxy, given));
  const through = users.map((user) => ({
    name: user.name,
    passed: capabilitiesWhenActing(heldBy(user, given)),
  }));
  const reached = inOrder(through.flatMap(({ passed }) => [...passed])).map((capability) => ({
    capability,
    from: through.filter(({ passed }) => passed.has(capability)).map(({ name }) => name),
    isNew: !own.has(capability),
  }));
  return [...reached.filter(({ isNew }) => isNew), ...reached.filter(({ isNew }) => !isNew)];
}

/** What these users pass on to a proxy. */
export const passedOn = (users: readonly Member[], given: Given): Capability[] =>
  inOrder(capabilitiesWhenActing(users.flatMap((user) => heldBy(user, given))));

/** What these users hold and nobody can pass on. */
export function keptBack(users: readonly Member[], given: Given): Capability[] {
  const held = inOrder(users.flatMap((user) => heldBy(user, given)));
  const passed = capabilitiesWhenActing(held);
  return held.filter((capability) => !passed.has(capability));
}
