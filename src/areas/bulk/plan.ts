import type { Capability } from '../../../contract/generated/types.gen.ts';
import { findMissingCapabilities } from '../../../contract/rules/people/capabilities.ts';
import { getBillableChange, NO_LICENSE } from '../../../contract/rules/people/licenses.ts';
import type { BulkAction, UserGroupPair } from './bulk-request.ts';
import { getGroupDifference, isSame } from './person.ts';
import type { PersonChange, Person, PersonState } from './person.ts';

/** Facts that decide which users may be changed. */
export interface PlanRules {
  /** Id and capabilities of the signed-in user. */
  ownUserId: number;
  ownCapabilities: readonly Capability[];
  /** Groups relevant to the action with their capabilities; a missing one was deleted. */
  groups: ReadonlyMap<number, { name: string; capabilities: readonly Capability[] }>;
  /** Administrators who can sign in, if the action may remove that. */
  administrators?: ReadonlySet<number> | undefined;
  /** Reason why nobody may be changed: a missing capability. */
  blockedReason?: string | undefined;
}

export interface RefusedPerson {
  person: Person;
  why: string;
}

export interface BulkPlan {
  changes: readonly PersonChange[];
  /** People already in the target state; no request is made for them. */
  unchanged: readonly Person[];
  refused: readonly RefusedPerson[];
}

type FindExceedingCapabilities = (groupIds: readonly number[]) => string | undefined;

const listFormat = new Intl.ListFormat('en');
const ADMINISTRATOR_CAPABILITIES: readonly Capability[] = ['Manage Users', 'Manage Groups'];

/** Whether these groups together make an administrator; the service checks the same two capabilities. */
export const areAdministrators = (groupIds: readonly number[], rules: Pick<PlanRules, 'groups'>): boolean => {
  const capabilities = groupIds.flatMap((id) => rules.groups.get(id)?.capabilities ?? []);
  return findMissingCapabilities(capabilities, ADMINISTRATOR_CAPABILITIES).length === 0;
};

/** Plans an action for many users in chunks, so that the page stays responsive with 100,000. */
export function createPlanner(action: BulkAction, rules: PlanRules) {
  const getTargetState = createTargetState(action);
  const findExceedingCapabilities = createCapabilityComparison(rules);
  const changes: PersonChange[] = [];
  const unchanged: Person[] = [];
  const refused: RefusedPerson[] = [];
  return {
    add(people: readonly Person[]): void {
      for (const person of people) {
        const after = getTargetState(person);
        if (after && isSame(person, after)) {
          unchanged.push(person);
          continue;
        }
        const reason = getRefusalReason({ person, after }, rules, findExceedingCapabilities);
        if (reason === undefined) changes.push({ person, after });
        else refused.push({ person, why: reason });
      }
    },
    end(): BulkPlan {
      const protectedAdministrator = findLastAdministrator(changes, rules);
      const remaining = changes.filter(({ person }) => person.id !== protectedAdministrator?.person.id);
      return {
        changes: remaining,
        unchanged,
        refused: protectedAdministrator ? [...refused, protectedAdministrator] : refused,
      };
    },
  };
}

/** Change in the number of billable licenses of the site (spec 2.2). */
export const billableDelta = (changes: readonly PersonChange[]): number =>
  changes.reduce(
    (sum, { person, after }) => sum + getBillableChange(person.licenseTypeId, after?.licenseTypeId),
    0,
  );

/** Reason why a change is refused, checked in the order of the service; undefined if it is allowed. */
function getRefusalReason(
  change: PersonChange,
  rules: PlanRules,
  findExceedingCapabilities: FindExceedingCapabilities,
): string | undefined {
  const { person, after } = change;
  if (rules.blockedReason !== undefined) return rules.blockedReason;
  const { added, removed } = getGroupDifference(change);
  const deletedGroupId = [...added, ...removed].find((id) => !rules.groups.has(id));
  if (deletedGroupId !== undefined) return `Group ${deletedGroupId} no longer exists`;
  if (person.id === rules.ownUserId) {
    const reason = getSelfRefusalReason(person, after);
    if (reason !== undefined) return reason;
  } else if (affectsSignIn(person, after)) {
    const beyond = findExceedingCapabilities(person.groups);
    if (beyond !== undefined) return `Has more capabilities than you: ${beyond}`;
  }
  const beyond = findExceedingCapabilities([...added, ...removed]);
  return beyond === undefined ? undefined : `The groups grant ${beyond}, which you do not have`;
}

/**
 * Users cannot make changes that end their own session halfway. Because the acting administrator stays one, the last
 * administrator is never affected (spec 4.2).
 */
function getSelfRefusalReason(person: Person, after: PersonState | undefined): string | undefined {
  if (!after) return 'This is you: you cannot remove yourself';
  if (person.isActive && !after.isActive) return 'This is you: your session would end';
  if (after.licenseTypeId === NO_LICENSE && person.licenseTypeId !== NO_LICENSE)
    return 'This is you: without a license your session would end';
  if (after.approvedAddresses && !person.approvedAddresses)
    return 'This is you: turn it on from your own page, which shows whether your address is approved';
  return undefined;
}

/** Whether a change affects how a user signs in; it is refused for users with more capabilities than one's own. */
const affectsSignIn = (person: Person, after: PersonState | undefined): boolean =>
  !after ||
  person.isActive !== after.isActive ||
  person.twoFactor !== after.twoFactor ||
  person.approvedAddresses !== after.approvedAddresses ||
  (after.licenseTypeId === NO_LICENSE && person.licenseTypeId !== NO_LICENSE);

/** Compares the capabilities of groups with the user's own, cached by the list of groups. */
function createCapabilityComparison({ groups, ownCapabilities }: PlanRules): FindExceedingCapabilities {
  const cache = new Map<string, string | undefined>();
  return (groupIds) => {
    const key = groupIds.join();
    if (cache.has(key)) return cache.get(key);
    const granted = groupIds.flatMap((id) => groups.get(id)?.capabilities ?? []);
    const missing = [...new Set(findMissingCapabilities(ownCapabilities, granted))];
    const names = missing.length === 0 ? undefined : listFormat.format(missing);
    cache.set(key, names);
    return names;
  };
}

/** The change to refuse so that an administrator remains: that of the signed-in user, otherwise the last one. */
function findLastAdministrator(
  changes: readonly PersonChange[],
  rules: PlanRules,
): RefusedPerson | undefined {
  const { administrators } = rules;
  if (!administrators || administrators.size === 0) return undefined;
  const demoted = changes.filter(
    ({ person, after }) => administrators.has(person.id) && !areAdministrators(after?.groups ?? [], rules),
  );
  if (demoted.length < administrators.size) return undefined;
  const protectedChange = demoted.find(({ person }) => person.id === rules.ownUserId) ?? demoted.at(-1);
  return (
    protectedChange && { person: protectedChange.person, why: 'Would leave no administrator who can sign in' }
  );
}

/** Target state of a user; undefined if the user leaves the site. */
type GetTargetState = (person: Person) => PersonState | undefined;

const SWITCH_STATES = {
  activate: { isActive: true },
  deactivate: { isActive: false },
  twoFactorOn: { twoFactor: true },
  addressesOn: { approvedAddresses: true },
} satisfies Partial<Record<BulkAction['kind'], Partial<PersonState>>>;

/** Prepares the lookup of target states for an action. */
function createTargetState(action: BulkAction): GetTargetState {
  switch (action.kind) {
    case 'remove':
      return () => undefined;
    case 'license':
      return (person) => withState(person, { licenseTypeId: action.licenseTypeId });
    case 'licenses': {
      const licenseByUserId = new Map(
        action.each.map(({ userId, licenseTypeId }) => [userId, licenseTypeId]),
      );
      return (person) =>
        withState(person, { licenseTypeId: licenseByUserId.get(person.id) ?? person.licenseTypeId });
    }
    case 'timeZone':
      return (person) => withState(person, { timeZone: action.timeZone });
    case 'addGroups':
      return (person) => withGroups(person, action.groupIds, []);
    case 'removeGroups':
      return (person) => withGroups(person, [], action.groupIds);
    case 'pairs': {
      const add = groupPairsByUser(action.add);
      const remove = groupPairsByUser(action.remove);
      return (person) => withGroups(person, add.get(person.id) ?? [], remove.get(person.id) ?? []);
    }
    case 'activate':
    case 'deactivate':
    case 'twoFactorOn':
    case 'addressesOn':
    default:
      return (person) => withState(person, SWITCH_STATES[action.kind]);
  }
}

const withState = (
  { isActive, licenseTypeId, groups, twoFactor, approvedAddresses, timeZone }: Person,
  overrides: Partial<PersonState>,
): PersonState => ({
  isActive,
  licenseTypeId,
  groups,
  twoFactor,
  approvedAddresses,
  timeZone,
  ...overrides,
});

/** A group that is both added and removed is added. */
function withGroups(person: Person, added: readonly number[], removed: readonly number[]): PersonState {
  const remaining = person.groups.filter((id) => !removed.includes(id) || added.includes(id));
  return withState(person, { groups: [...new Set([...remaining, ...added])] });
}

function groupPairsByUser(pairs: readonly UserGroupPair[]): ReadonlyMap<number, readonly number[]> {
  const groups = new Map<number, number[]>();
  for (const { userId, groupId } of pairs) {
    const userGroups = groups.get(userId);
    if (userGroups) userGroups.push(groupId);
    else groups.set(userId, [groupId]);
  }
  return groups;
}
