import { capabilities } from '../../../../contract/rules/capabilities.ts';
import type { Capability } from '../../../api/generated/types.gen.ts';

/** A member of the group that changes, with all groups they are in. */
export interface Member {
  id: number;
  groups: readonly number[];
}

/** Who gets capabilities by a change, or is without them afterwards; those that meet the same people stand together. */
export interface Effect {
  capabilities: readonly Capability[];
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
  const effects = new Map<string, Effect>();
  for (const { name: capability } of capabilities) {
    const had = before.includes(capability);
    if (had === after.includes(capability)) continue;
    const elsewhere = (group: number) => group !== groupId && given.get(group)?.includes(capability);
    const people = members.filter(({ groups }) => !groups.some(elsewhere)).map(({ id }) => id);
    const change = had ? 'lose' : 'gain';
    const key = `${change} ${people.join()}`;
    const same = effects.get(key)?.capabilities ?? [];
    const unaffected = members.length - people.length;
    effects.set(key, { capabilities: [...same, capability], change, people, unaffected });
  }
  return [...effects.values()];
}
