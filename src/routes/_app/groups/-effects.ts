import { capabilities } from '../../../../contract/rules/capabilities.ts';
import type { Capability } from '../../../api/generated/types.gen.ts';

/** A member of the group that changes, with all groups they are in. */
export interface Member {
  id: number;
  groups: readonly number[];
}

/** Who gets a capability by a change, and who is without it afterwards. */
export interface Effect {
  capability: Capability;
  change: 'gain' | 'lose';
  people: readonly number[];
  /** Members for whom nothing changes, because another group of theirs gives it too. */
  unaffected: number;
}

interface GroupChange {
  groupId: number;
  before: readonly Capability[];
  after: readonly Capability[];
}

/**
 * What another list of capabilities of a group means for its members: whoever has a capability from another group
 * neither gains nor loses it. `given` tells what the other groups give.
 */
export function effectsOf(
  { groupId, before, after }: GroupChange,
  members: readonly Member[],
  given: ReadonlyMap<number, readonly Capability[]>,
): Effect[] {
  return capabilities.flatMap(({ name: capability }): Effect[] => {
    const had = before.includes(capability);
    if (had === after.includes(capability)) return [];
    const elsewhere = (group: number) => group !== groupId && given.get(group)?.includes(capability);
    const people = members.filter(({ groups }) => !groups.some(elsewhere)).map(({ id }) => id);
    const unaffected = members.length - people.length;
    return [{ capability, change: had ? 'lose' : 'gain', people, unaffected }];
  });
}
