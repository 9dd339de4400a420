import type { Capability, GroupInfo, UserGroupEntityVm } from '../../../api/generated/types.gen.ts';
import { zNewGroupInfo } from '../../../api/generated/zod.gen.ts';
import { capabilitiesOf, inOrder } from '../../../directory/groups.ts';

/** What the panel asks for; a description may be empty, which the contract writes as null. */
export interface GroupValues {
  name: string;
  description: string;
  capabilities: Capability[];
}

export const EMPTY: GroupValues = { name: '', description: '', capabilities: [] };

const fields = zNewGroupInfo.shape;

/** What the form takes, by the rules of the contract. */
export const groupSchema = zNewGroupInfo.extend({
  description: fields.description.unwrap().unwrap(),
  capabilities: fields.capabilities.unwrap(),
});

/** A group as the panel shows it. */
export const valuesOf = (group: UserGroupEntityVm): GroupValues => ({
  name: group.name,
  description: group.description ?? '',
  capabilities: capabilitiesOf(group),
});

const sameCapabilities = (a: readonly Capability[], b: readonly Capability[]): boolean =>
  inOrder(a).join() === inOrder(b).join();

/** What was changed; an omitted field keeps its value, capabilities are always the complete list. */
export function changesOf(before: GroupValues, { name, description, capabilities }: GroupValues): GroupInfo {
  return {
    ...(name.trim() !== before.name && { name: name.trim() }),
    ...(description.trim() !== before.description && { description: description.trim() || null }),
    ...(!sameCapabilities(capabilities, before.capabilities) && { capabilities: inOrder(capabilities) }),
  };
}

interface Sides {
  /** Where I began. */
  base: GroupValues;
  mine: GroupValues;
  /** What somebody else has saved meanwhile. */
  theirs: GroupValues;
}

const pick = (base: string, mine: string, theirs: string): string => (mine === base ? theirs : mine);

/** Both changes together; where both wrote another name or description, mine stands in the form. */
export function mergeGroup({ base, mine, theirs }: Sides): GroupValues {
  const added = mine.capabilities.filter((one) => !base.capabilities.includes(one));
  const taken = base.capabilities.filter((one) => !mine.capabilities.includes(one));
  return {
    name: pick(base.name, mine.name, theirs.name),
    description: pick(base.description, mine.description, theirs.description),
    capabilities: inOrder([...theirs.capabilities.filter((one) => !taken.includes(one)), ...added]),
  };
}

const list = new Intl.ListFormat('en');
const written = (text: string): string => (text === '' ? 'no description' : `“${text}”`);

/** What somebody else has changed, in words. */
export function theirChanges(base: GroupValues, theirs: GroupValues): string {
  const { name, description, capabilities } = changesOf(base, theirs);
  const added = capabilities?.filter((one) => !base.capabilities.includes(one)) ?? [];
  const taken = capabilities ? base.capabilities.filter((one) => !capabilities.includes(one)) : [];
  return list.format([
    ...(name === undefined ? [] : [`the name to ${written(name)}`]),
    ...(description === undefined ? [] : [`the description to ${written(description ?? '')}`]),
    ...(added.length === 0 ? [] : [`capabilities: + ${added.join(', + ')}`]),
    ...(taken.length === 0 ? [] : [`capabilities: − ${taken.join(', − ')}`]),
  ]);
}
