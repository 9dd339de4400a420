import type { BulkAction, Pair } from './actions.ts';
import type { Person, State } from './person.ts';

/** What an action makes of somebody; undefined: they leave the site. */
export type Wish = (person: Person) => State | undefined;

const SIMPLE = {
  activate: { isActive: true },
  deactivate: { isActive: false },
  twoFactorOn: { twoFactor: true },
  addressesOn: { approvedAddresses: true },
} satisfies Partial<Record<BulkAction['kind'], Partial<State>>>;

/** The wish of an action, with what it looks up prepared once for everybody. */
export function wishOf(action: BulkAction): Wish {
  switch (action.kind) {
    case 'remove':
      return () => undefined;
    case 'license':
      return (person) => stateOf(person, { licenseTypeId: action.licenseTypeId });
    case 'licenses': {
      const each = new Map(action.each.map(({ userId, licenseTypeId }) => [userId, licenseTypeId]));
      return (person) => stateOf(person, { licenseTypeId: each.get(person.id) ?? person.licenseTypeId });
    }
    case 'addGroups':
      return (person) => inGroups(person, action.groupIds, []);
    case 'removeGroups':
      return (person) => inGroups(person, [], action.groupIds);
    case 'pairs': {
      const add = byUser(action.add);
      const remove = byUser(action.remove);
      return (person) => inGroups(person, add.get(person.id) ?? [], remove.get(person.id) ?? []);
    }
    case 'activate':
    case 'deactivate':
    case 'twoFactorOn':
    case 'addressesOn':
    default:
      return (person) => stateOf(person, SIMPLE[action.kind]);
  }
}

const stateOf = (
  { isActive, licenseTypeId, groups, twoFactor, approvedAddresses }: Person,
  wanted: Partial<State>,
): State => ({ isActive, licenseTypeId, groups, twoFactor, approvedAddresses, ...wanted });

/** Where a pair is asked for both ways, it is added: nobody loses by an ambiguity. */
function inGroups(person: Person, added: readonly number[], removed: readonly number[]): State {
  const kept = person.groups.filter((id) => !removed.includes(id) || added.includes(id));
  return stateOf(person, { groups: [...new Set([...kept, ...added])] });
}

function byUser(pairs: readonly Pair[]): ReadonlyMap<number, readonly number[]> {
  const groups = new Map<number, number[]>();
  for (const { userId, groupId } of pairs) {
    const own = groups.get(userId);
    if (own) own.push(groupId);
    else groups.set(userId, [groupId]);
  }
  return groups;
}
