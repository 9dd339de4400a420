import { licenseName } from '../../../contract/rules/licenses.ts';
import { counted } from '../../lib/numbers.ts';
import type { OneWay } from '../../ui/dialog/one-way-door.tsx';
import type { BulkAction } from './actions.ts';
import { groupsOf } from './person.ts';
import type { Change } from './person.ts';

/** What groups are called. */
export type Names = ReadonlyMap<number, string>;

export const people = (number: number): string => counted(number, 'person', 'people');
const groupName = (names: Names, id: number): string => names.get(id) ?? `Group ${id}`;

/** The verb, with whom it is about in numbers: the title of the dry run, its button and the job. */
export function titleOf(action: BulkAction, number: number, names: Names, site: string): string {
  const whom = people(number);
  const groups = (ids: readonly number[]) =>
    ids.length === 1 ? groupName(names, ids[0] ?? 0) : counted(ids.length, 'group', 'groups');
  switch (action.kind) {
    case 'activate':
      return `Activate ${whom}`;
    case 'deactivate':
      return `Deactivate ${whom}`;
    case 'license':
      return `Set ${counted(number, 'license', 'licenses')} to ${licenseName(action.licenseTypeId)}`;
    case 'licenses':
      return `Change ${counted(number, 'license', 'licenses')}`;
    case 'addGroups':
      return `Add ${whom} to ${groups(action.groupIds)}`;
    case 'removeGroups':
      return `Remove ${whom} from ${groups(action.groupIds)}`;
    case 'twoFactorOn':
      return `Turn two-factor on for ${whom}`;
    case 'addressesOn':
      return `Turn approved addresses on for ${whom}`;
    case 'remove':
      return `Remove ${whom} from ${site}`;
    case 'pairs':
    default:
      return `Change the groups of ${whom}`;
  }
}

/** What it means for those it is done to, where there is a way back. */
export const EFFECTS_IN_WORDS: Partial<Record<BulkAction['kind'], string>> = {
  activate: 'They can sign in again with the licenses and groups they had.',
  deactivate:
    'Signs them out everywhere at once, and they cannot sign in again. Data, licenses and groups stay; a billable license stays billable.',
  license: 'Takes effect at once. Without a license somebody keeps everything but may not act.',
  licenses: 'Takes effect at once. Without a license somebody keeps everything but may not act.',
  addGroups: 'Adding takes nothing away: the groups they are in stay.',
  removeGroups: 'They lose what these groups alone gave them. Other groups stay.',
  pairs: 'Additions come first, then removals. Groups not named here stay.',
};

const NEVER_OFF = 'It cannot be turned off again, neither here nor through the API.';

/** What cannot be taken back by an inverse (spec 3, 4.2), by whom it is about and where. */
const ONE_WAY: Partial<Record<BulkAction['kind'], (whom: string, site: string) => OneWay>> = {
  twoFactorOn: (whom) => ({
    final: NEVER_OFF,
    breaks:
      'A password alone opens nothing any more: from the next sign-in on a second factor is asked for, and whoever has none sets one up first. Programs with API keys go on.',
    affects: `${whom}, on every site they belong to.`,
  }),
  addressesOn: (whom, site) => ({
    final: NEVER_OFF,
    breaks:
      'From every address that the site does not approve nobody of them can sign in any more, and their programs cannot call the interface. If none is approved, they get in from nowhere.',
    affects: `${whom}, and whoever runs programs with their API keys on ${site}.`,
  }),
  remove: (whom, site) => ({
    final:
      'They do not come back by themselves: they have to be added again, with their licenses and groups.',
    breaks: `Their membership of ${site} ends: they are signed out, and their licenses, groups and API keys here are given up. Accounts stay on the platform and on other sites.`,
    affects: `${whom}, whoever runs programs with their API keys, and those for whom they act.`,
  }),
};

export const isOneWay = ({ kind }: BulkAction): boolean => ONE_WAY[kind] !== undefined;

/** What lies behind the door; undefined where the change can be taken back. */
export const oneWayOf = ({ kind }: BulkAction, number: number, site: string): OneWay | undefined =>
  ONE_WAY[kind]?.(people(number), site);

/** One person's before and after in words. */
export function inWords(change: Change, names: Names): { before: string; after: string } {
  const { person, after } = change;
  if (!after) return { before: 'On the site', after: 'Removed' };
  if (person.isActive !== after.isActive)
    return { before: status(person.isActive), after: status(after.isActive) };
  if (person.licenseTypeId !== after.licenseTypeId)
    return { before: licenseName(person.licenseTypeId), after: licenseName(after.licenseTypeId) };
  if (person.twoFactor !== after.twoFactor) return { before: 'Two-factor off', after: 'Two-factor on' };
  if (person.approvedAddresses !== after.approvedAddresses)
    return { before: 'From any address', after: 'From approved addresses' };
  const { added, removed } = groupsOf(change);
  const named = (ids: readonly number[], sign = '') => ids.map((id) => `${sign}${groupName(names, id)}`);
  return {
    before: named(person.groups).join(', ') || 'No groups',
    after: [...named(added, '+ '), ...named(removed, '− ')].join(', '),
  };
}

const status = (isActive: boolean): string => (isActive ? 'Active' : 'Inactive');
