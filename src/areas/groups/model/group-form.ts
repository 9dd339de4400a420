import type { Capability, GroupInfo, UserGroupEntityVm } from '../../../../contract/generated/types.gen.ts';
import { zNewGroupInfo } from '../../../api/generated/zod.gen.ts';
import { getGroupCapabilities, sortCapabilities } from '../../../directory/groups.ts';

/** Values of the form; an empty description is null in the contract. */
export interface GroupValues {
  name: string;
  description: string;
  capabilities: Capability[];
}

export const EMPTY_GROUP: GroupValues = { name: '', description: '', capabilities: [] };

const contractFields = zNewGroupInfo.shape;

/** Form schema, following the contract. */
export const groupSchema = zNewGroupInfo.extend({
  description: contractFields.description.unwrap().unwrap(),
  capabilities: contractFields.capabilities.unwrap(),
});

export const toGroupValues = (group: UserGroupEntityVm): GroupValues => ({
  name: group.name,
  description: group.description ?? '',
  capabilities: getGroupCapabilities(group),
});

const sameCapabilities = (a: readonly Capability[], b: readonly Capability[]): boolean =>
  sortCapabilities(a).join() === sortCapabilities(b).join();

/** Changed fields; an omitted field keeps its value, capabilities are always the complete list. */
export function getGroupChanges(
  before: GroupValues,
  { name, description, capabilities }: GroupValues,
): GroupInfo {
  return {
    ...(name.trim() !== before.name && { name: name.trim() }),
    ...(description.trim() !== before.description && { description: description.trim() || null }),
    ...(!sameCapabilities(capabilities, before.capabilities) && {
      capabilities: sortCapabilities(capabilities),
    }),
  };
}

interface MergeInput {
  /** Values at the start of editing. */
  base: GroupValues;
  mine: GroupValues;
  /** Values saved by others in the meantime. */
  theirs: GroupValues;
}

const mergeText = (base: string, mine: string, theirs: string): string => (mine === base ? theirs : mine);

/** Merges both changes; if both changed name or description, the own value stays. */
export function mergeGroup({ base, mine, theirs }: MergeInput): GroupValues {
  const added = mine.capabilities.filter((one) => !base.capabilities.includes(one));
  const taken = base.capabilities.filter((one) => !mine.capabilities.includes(one));
  return {
    name: mergeText(base.name, mine.name, theirs.name),
    description: mergeText(base.description, mine.description, theirs.description),
    capabilities: sortCapabilities([...theirs.capabilities.filter((one) => !taken.includes(one)), ...added]),
  };
}

const listFormat = new Intl.ListFormat('en');
const quote = (text: string): string => (text === '' ? 'no description' : `“${text}”`);

/** Describes the changes by others. */
export function formatTheirChanges(base: GroupValues, theirs: GroupValues): string {
  const { name, description, capabilities } = getGroupChanges(base, theirs);
  const added = capabilities?.filter((one) => !base.capabilities.includes(one)) ?? [];
  const taken = capabilities ? base.capabilities.filter((one) => !capabilities.includes(one)) : [];
  return listFormat.format([
    ...(name === undefined ? [] : [`the name to ${quote(name)}`]),
    ...(description === undefined ? [] : [`the description to ${quote(description ?? '')}`]),
    ...(added.length === 0 ? [] : [`capabilities: + ${added.join(', + ')}`]),
    ...(taken.length === 0 ? [] : [`capabilities: − ${taken.join(', − ')}`]),
  ]);
}
