import type { Capability, GroupInfoResponse } from '../../../api/generated/types.gen.ts';
import { byName } from '../../../directory/groups.ts';
import { fold } from '../../../lib/fold.ts';
import type { GroupsView } from './-view.ts';

type Given = ReadonlyMap<number, readonly Capability[]>;
type Compare = (a: GroupInfoResponse, b: GroupInfoResponse) => number;

/** The groups that a view asks for, in its order; every word must occur in name, description or capabilities. */
export function findGroups(
  groups: readonly GroupInfoResponse[],
  given: Given,
  { q, sort }: GroupsView,
): readonly GroupInfoResponse[] {
  const words = fold(q.trim())
    .split(/\s+/)
    .filter((word) => word !== '');
  const matches = ({ id, name, description }: GroupInfoResponse) => {
    const text = fold(`${id} ${name} ${description ?? ''} ${given.get(id)?.join(' ') ?? ''}`);
    return words.every((word) => text.includes(word));
  };
  const turn = sort.descending ? -1 : 1;
  const compare = orders(given)[sort.by];
  return groups.filter(matches).toSorted((a, b) => turn * compare(a, b) || byName(a, b));
}

const orders = (given: Given): Record<GroupsView['sort']['by'], Compare> => ({
  name: byName,
  description: (a, b) => (a.description ?? '').localeCompare(b.description ?? ''),
  members: (a, b) => a.userCount - b.userCount,
  capabilities: (a, b) => (given.get(a.id)?.length ?? 0) - (given.get(b.id)?.length ?? 0),
});
