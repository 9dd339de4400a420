import type { Capability } from '../../../../contract/generated/types.gen.ts';
import { capabilities } from '../../../../contract/rules/people/capabilities.ts';
import type { UserGroupPair } from '../../bulk/index.ts';
import type { GroupMember } from '../matrix/pending.ts';

interface NamedGroup {
  id: number;
  name: string;
}

/** Group that at least one of two users is in. */
export interface GroupLine extends NamedGroup {
  a: boolean;
  b: boolean;
}

/** Groups of both users, differing ones first, otherwise in the given order. */
export function compareGroups(a: GroupMember, b: GroupMember, groups: readonly NamedGroup[]): GroupLine[] {
  const names = new Map(groups.map(({ id, name }) => [id, name]));
  const unknown = [...new Set([...a.groups, ...b.groups])].filter((id) => !names.has(id));
  const all = [...groups, ...unknown.map((id) => ({ id, name: `Group ${id}` }))];
  const lines = all
    .map(({ id, name }) => ({ id, name, a: a.groups.includes(id), b: b.groups.includes(id) }))
    .filter((line) => line.a || line.b);
  return [...lines.filter((line) => line.a !== line.b), ...lines.filter((line) => line.a === line.b)];
}

/** Capability of at least one of two users, with the groups that grant it. */
export interface CapabilityLine {
  capability: Capability;
  a: readonly number[];
  b: readonly number[];
}

/** Capabilities of both users with their sources, differing ones first. @param given capabilities by group */
export function compareCapabilities(
  a: GroupMember,
  b: GroupMember,
  given: ReadonlyMap<number, readonly Capability[]>,
): CapabilityLine[] {
  const from = ({ groups }: GroupMember, capability: Capability) =>
    groups.filter((groupId) => given.get(groupId)?.includes(capability));
  const lines = capabilities
    .map(({ name }) => ({ capability: name, a: from(a, name), b: from(b, name) }))
    .filter((line) => line.a.length + line.b.length > 0);
  const differs = (line: CapabilityLine) => (line.a.length === 0) !== (line.b.length === 0);
  return [...lines.filter(differs), ...lines.filter((line) => !differs(line))];
}

/** Membership changes that copy groups from one user to another; `remove` only for an exact copy. */
export interface GroupCopy {
  add: UserGroupPair[];
  remove: UserGroupPair[];
}

export function planGroupCopy(from: GroupMember, to: GroupMember): GroupCopy {
  const pair = (groupId: number): UserGroupPair => ({ userId: to.id, groupId });
  return {
    add: from.groups.filter((groupId) => !to.groups.includes(groupId)).map(pair),
    remove: to.groups.filter((groupId) => !from.groups.includes(groupId)).map(pair),
  };
}
