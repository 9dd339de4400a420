import { getLicenseName } from '../../../contract/rules/people/licenses.ts';
import { formatTimeZoneName } from '../../lib/dates/time-zones.ts';
import { pluralize } from '../../lib/numbers.ts';
import type { IrreversibleEffects } from '../../ui/dialog/confirm-irreversible.tsx';
import type { BulkAction } from './bulk-request.ts';
import { getGroupDifference } from './person.ts';
import type { PersonChange } from './person.ts';

/** Names of groups by id. */
export type GroupNames = ReadonlyMap<number, string>;

export const formatPeople = (number: number): string => pluralize(number, 'person', 'people');
const formatGroupName = (names: GroupNames, id: number): string => names.get(id) ?? `Group ${id}`;

/** Title of the dry run, its button and the job. */
export function formatTitle(action: BulkAction, number: number, names: GroupNames, site: string): string {
  const target = formatPeople(number);
  const groups = (ids: readonly number[]) =>
    ids.length === 1 ? formatGroupName(names, ids[0] ?? 0) : pluralize(ids.length, 'group', 'groups');
  switch (action.kind) {
    case 'activate':
      return `Activate ${target}`;
    case 'deactivate':
      return `Deactivate ${target}`;
    case 'license':
      return `Set ${pluralize(number, 'license', 'licenses')} to ${getLicenseName(action.licenseTypeId)}`;
    case 'licenses':
      return `Change ${pluralize(number, 'license', 'licenses')}`;
    case 'timeZone':
      return `Set the time zone of ${target} to ${formatZone(action.timeZone)}`;
    case 'addGroups':
      return `Add ${target} to ${groups(action.groupIds)}`;
    case 'removeGroups':
      return `Remove ${target} from ${groups(action.groupIds)}`;
    case 'twoFactorOn':
      return `Turn two-factor on for ${target}`;
    case 'addressesOn':
      return `Turn approved addresses on for ${target}`;
    case 'remove':
      return `Remove ${target} from ${site}`;
    case 'pairs':
    default:
      return `Change the groups of ${target}`;
  }
}

const ZONE_EFFECT =
  'Dates with a time are displayed in it, and programs read and write them in it with dateTimeBehavior=1. Stored values stay the same.';

/** Effect of changes that can be undone. */
export const EFFECT_TEXTS: Partial<Record<BulkAction['kind'], string>> = {
  activate: 'They can sign in again with the licenses and groups they had.',
  deactivate:
    'Signs them out everywhere at once, and they cannot sign in again. Data, licenses and groups stay; a billable license stays billable.',
  license: 'Takes effect immediately. Users without a license keep their data but can’t use the site.',
  licenses: 'Takes effect immediately. Users without a license keep their data but can’t use the site.',
  timeZone: ZONE_EFFECT,
  addGroups: 'Other groups stay unchanged.',
  removeGroups: 'They lose capabilities that only these groups granted. Other groups stay unchanged.',
  pairs: 'Additions come first, then removals. Other groups stay unchanged.',
};

const NEVER_OFF = 'It cannot be turned off again, here or through the API.';

/** Effects of changes without an inverse (spec 3, 4.2). */
const ONE_WAY: Partial<Record<BulkAction['kind'], (whom: string, site: string) => IrreversibleEffects>> = {
  twoFactorOn: (whom) => ({
    irreversible: NEVER_OFF,
    breaks:
      'A password alone is no longer enough: from the next sign-in a second factor is required, and users without one set it up first. Programs with API keys are not affected.',
    affects: `${whom}, on every site they belong to.`,
  }),
  addressesOn: (whom, site) => ({
    irreversible: NEVER_OFF,
    breaks:
      'They can no longer sign in from addresses that the site does not approve, and their programs cannot call the API. If no address is approved, they cannot sign in at all.',
    affects: `${whom}, and programs with their API keys on ${site}.`,
  }),
  remove: (whom, site) => ({
    irreversible: 'To return, they have to be added again, with their licenses and groups.',
    breaks: `Their membership of ${site} ends: they are signed out and lose their licenses, groups and API keys here. Accounts stay on the platform and on other sites.`,
    affects: `${whom}, programs with their API keys, and the users they act for.`,
  }),
};

export const isOneWay = ({ kind }: BulkAction): boolean => ONE_WAY[kind] !== undefined;

/** Confirmation texts of a one-way change; undefined if the change can be undone. */
export const getOneWayDetails = (
  { kind }: BulkAction,
  number: number,
  site: string,
): IrreversibleEffects | undefined => ONE_WAY[kind]?.(formatPeople(number), site);

/** State of one person before and after the change. */
export function formatChange(change: PersonChange, names: GroupNames): { before: string; after: string } {
  const { person, after } = change;
  if (!after) return { before: 'On the site', after: 'Removed' };
  if (person.isActive !== after.isActive)
    return { before: formatStatus(person.isActive), after: formatStatus(after.isActive) };
  if (person.licenseTypeId !== after.licenseTypeId)
    return { before: getLicenseName(person.licenseTypeId), after: getLicenseName(after.licenseTypeId) };
  if (person.twoFactor !== after.twoFactor) return { before: 'Two-factor off', after: 'Two-factor on' };
  if (person.approvedAddresses !== after.approvedAddresses)
    return { before: 'From any address', after: 'From approved addresses' };
  if (person.timeZone !== after.timeZone)
    return { before: formatZone(person.timeZone), after: formatZone(after.timeZone) };
  const { added, removed } = getGroupDifference(change);
  const formatNames = (ids: readonly number[], sign = '') =>
    ids.map((id) => `${sign}${formatGroupName(names, id)}`);
  return {
    before: formatNames(person.groups).join(', ') || 'No groups',
    after: [...formatNames(added, '+ '), ...formatNames(removed, '− ')].join(', '),
  };
}

const formatZone = (timeZone: string | null): string =>
  timeZone === null ? 'that of the site' : formatTimeZoneName(timeZone);
const formatStatus = (isActive: boolean): string => (isActive ? 'Active' : 'Inactive');
