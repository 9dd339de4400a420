import { capabilities } from '../../../../contract/rules/capabilities.ts';
import type { Capability } from '../../../api/generated/types.gen.ts';
import type { Pair } from '../../bulk/actions.ts';
import type { Person } from '../matrix/pending.ts';

interface Named {
  id: number;
  name: string;
}

/** A group that at least one of two people is in. */
export interface GroupLine extends Named {
  a: boolean;
  b: boolean;
}

/** Their groups, those that tell them apart first, each part in the order given. */
export function groupLines(a: Person, b: Person, groups: readonly Named[]): GroupLine[] {
  const names = new Map(groups.map(({ id, name }) => [id, name]));
  const unknown = [...new Set([...a.groups, ...b.groups])].filter((id) => !names.has(id));
  const all = [...groups, ...unknown.map((id) => ({ id, name: `Group ${id}` }))];
  const lines = all
    .map(({ id, name }) => ({ id, name, a: a.groups.includes(id), b: b.groups.includes(id) }))
    .filter((line) => line.a || line.b);
  return [...lines.filter((line) => line.a !== line.b), ...lines.filter((line) => line.a === line.b)];
}

/** A capability that at least one of two people has, with the groups it comes from. */
export interface CapabilityLine {
  capability: Capability;
  a: readonly number[];
  b: readonly number[];
}

/** What both may do and from where, differences first; `given` tells what each group gives. */
export function capabilityLines(
  a: Person,
  b: Person,
  given: ReadonlyMap<number, readonly Capability[]>,
): CapabilityLine[] {
  const from = ({ groups }: Person, capability: Capability) =>
    groups.filter((groupId) => given.get(groupId)?.includes(capability));
  const lines = capabilities
    .map(({ name }) => ({ capability: name, a: from(a, name), b: from(b, name) }))
    .filter((line) => line.a.length + line.b.length > 0);
  const differs = (line: CapabilityLine) => (line.a.length === 0) !== (line.b.length === 0);
  return [...lines.filter(differs), ...lines.filter((line) => !differs(line))];
}

/** What copying the groups of one person to another sends: additions alone, or removals as well. */
export interface Copying {
  add: Pair[];
  remove: Pair[];
}

export function copyingOf(from: Person, to: Person): Copying {
  const pair = (groupId: number): Pair => ({ userId: to.id, groupId });
  return {
    add: from.groups.filter((groupId) => !to.groups.includes(groupId)).map(pair),
    remove: to.groups.filter((groupId) => !from.groups.includes(groupId)).map(pair),
  };
}
