import type { Capability } from '../../../../contract/generated/types.gen.ts';
import { capabilities } from '../../../../contract/rules/people/capabilities.ts';

/** Member of the changed group, with all their groups. */
export interface Member {
  id: number;
  groups: readonly number[];
}

/** Capabilities gained or lost by the same people. */
export interface Effect {
  capabilities: readonly Capability[];
  change: 'gain' | 'lose';
  people: readonly number[];
  /** Members not affected because another group grants the capability. */
  unaffected: number;
}

interface GroupChange {
  groupId: number;
  before: readonly Capability[];
  after: readonly Capability[];
}

/**
 * Effect of changed capabilities on the members of a group. Members who have a capability from another group are not
 * affected. @param given capabilities of all groups of the members
 */
export function computeEffects(
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
