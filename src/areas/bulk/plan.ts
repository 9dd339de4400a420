import { capabilitiesNotHeld } from '../../../contract/rules/capabilities.ts';
import { NO_LICENSE } from '../../../contract/rules/licenses.ts';
import type { Capability } from '../../api/generated/types.gen.ts';
import type { BulkAction, Pair } from './actions.ts';
import { groupsOf, isBilled, isSame } from './person.ts';
import type { Change, Person, State } from './person.ts';

/** What decides who may be changed. */
export interface Rules {
  /** Who works here, and what they hold. */
  me: number;
  held: readonly Capability[];
  /** The groups that matter to the action, with what they give; one that is missing exists no more. */
  groups: ReadonlyMap<number, { name: string; capabilities: readonly Capability[] }>;
  /** The administrators who can sign in, where the action may take that away. */
  administrators?: ReadonlySet<number> | undefined;
  /** Why nobody may be changed at all: a capability that the operation asks for. */
  lacks?: string | undefined;
}

export interface Refused {
  person: Person;
  why: string;
}

export interface Plan {
  changes: readonly Change[];
  /** Who is as the action would make them: no call is made. */
  same: readonly Person[];
  refused: readonly Refused[];
}

type Beyond = (groupIds: readonly number[]) => string | undefined;

const list = new Intl.ListFormat('en');
const ADMINISTRATOR: readonly Capability[] = ['Manage Users', 'Manage Groups'];

/** Whether these groups together make an administrator; the service counts by the same two capabilities. */
export const areAdministrators = (groupIds: readonly number[], rules: Pick<Rules, 'groups'>): boolean => {
  const given = groupIds.flatMap((id) => rules.groups.get(id)?.capabilities ?? []);
  return capabilitiesNotHeld(given, ADMINISTRATOR).length === 0;
};

/** Plans an action over people, part after part, so that a page with a hundred thousand stays alive meanwhile. */
export function createPlanner(action: BulkAction, rules: Rules) {
  const wish = wishOf(action);
  const beyondMe = createBeyond(rules);
  const changes: Change[] = [];
  const same: Person[] = [];
  const refused: Refused[] = [];
  return {
    add(people: readonly Person[]): void {
      for (const person of people) {
        const after = wish(person);
        if (after && isSame(person, after)) {
          same.push(person);
          continue;
        }
        const why = refusal({ person, after }, rules, beyondMe);
        if (why === undefined) changes.push({ person, after });
        else refused.push({ person, why });
      }
    },
    end(): Plan {
      const last = lastAdministrator(changes, rules);
      const left = changes.filter(({ person }) => person.id !== last?.person.id);
      return {
        changes: left,
        same,
        refused: last ? [...refused, last] : refused,
      };
    },
  };
}

/** How many billable licenses more or fewer the site has afterwards (spec 2.2). */
export const billableDelta = (changes: readonly Change[]): number =>
  changes.reduce((sum, { person, after }) => sum + Number(isBilled(after)) - Number(isBilled(person)), 0);

/** Why this change cannot be made, in the order in which the service would find it out. */
function refusal(change: Change, rules: Rules, beyondMe: Beyond): string | undefined {
  const { person, after } = change;
  if (rules.lacks !== undefined) return rules.lacks;
  const { added, removed } = groupsOf(change);
  const gone = [...added, ...removed].find((id) => !rules.groups.has(id));
  if (gone !== undefined) return `Group ${gone} does not exist any more`;
  if (person.id === rules.me) {
    const why = selfRefusal(person, after);
    if (why !== undefined) return why;
  } else if (touchesSignIn(person, after)) {
    const beyond = beyondMe(person.groups);
    if (beyond !== undefined) return `May do more than you: holds ${beyond}`;
  }
  const beyond = beyondMe([...added, ...removed]);
  return beyond === undefined ? undefined : `The groups give ${beyond}, which you do not have`;
}

/**
 * Whoever works here keeps what lets them work: their own session would end in the middle. An administrator who is
 * left out stays one, so that these actions never reach the last (spec 4.2).
 */
function selfRefusal(me: Person, after: State | undefined): string | undefined {
  if (!after) return 'This is you: you cannot remove yourself';
  if (me.isActive && !after.isActive) return 'This is you: your session would end';
  if (after.licenseTypeId === NO_LICENSE && me.licenseTypeId !== NO_LICENSE)
    return 'This is you: without a license your session would end';
  if (after.approvedAddresses && !me.approvedAddresses)
    return 'This is you: turn it on from your own page, which tells whether your address is approved';
  return undefined;
}

/** Nobody decides how somebody signs in, or shuts out, who may do more than they may. */
const touchesSignIn = (person: Person, after: State | undefined): boolean =>
  !after ||
  person.isActive !== after.isActive ||
  person.twoFactor !== after.twoFactor ||
  person.approvedAddresses !== after.approvedAddresses ||
  (after.licenseTypeId === NO_LICENSE && person.licenseTypeId !== NO_LICENSE);

/** What groups give that one does not hold, found out once for people with the same groups. */
function createBeyond({ groups, held }: Rules): Beyond {
  const known = new Map<string, string | undefined>();
  return (groupIds) => {
    const key = groupIds.join();
    if (known.has(key)) return known.get(key);
    const given = groupIds.flatMap((id) => groups.get(id)?.capabilities ?? []);
    const missing = [...new Set(capabilitiesNotHeld(held, given))];
    const names = missing.length === 0 ? undefined : list.format(missing);
    known.set(key, names);
    return names;
  };
}

/** The one who has to stay an administrator where the changes would leave none: who works here, else the last. */
function lastAdministrator(changes: readonly Change[], rules: Rules): Refused | undefined {
  const { administrators } = rules;
  if (!administrators || administrators.size === 0) return undefined;
  const fallen = changes.filter(
    ({ person, after }) => administrators.has(person.id) && !areAdministrators(after?.groups ?? [], rules),
  );
  if (fallen.length < administrators.size) return undefined;
  const stays = fallen.find(({ person }) => person.id === rules.me) ?? fallen.at(-1);
  return stays && { person: stays.person, why: 'Would leave no administrator who can sign in' };
}

/** What an action makes of somebody; undefined: they leave the site. */
type Wish = (person: Person) => State | undefined;

const SIMPLE = {
  activate: { isActive: true },
  deactivate: { isActive: false },
  twoFactorOn: { twoFactor: true },
  addressesOn: { approvedAddresses: true },
} satisfies Partial<Record<BulkAction['kind'], Partial<State>>>;

/** The wish of an action, with what it looks up prepared once for everybody. */
function wishOf(action: BulkAction): Wish {
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
