import { licenseName } from '../../../../contract/rules/licenses.ts';
import type { UserChange } from '../../../api/generated/types.gen.ts';
import { exactDate } from '../../../lib/dates.ts';

const ACTIONS: Readonly<Record<string, string>> = {
  'user.create': 'Came to the site',
  'user.join': 'Came to the site',
  'user.add-existing': 'Was added from another site',
  'user.update': 'Was changed',
  'user.remove': 'Was removed from the site',
  'user.home': 'Belongs to another site first',
  'user.export': 'Exported data',
  'user.set-password': 'Set a password',
  'user.api-key-on': 'Turned on an API key',
  'user.api-key-off': 'Turned off the API key',
  'user.api-key-expire': 'The API key expired',
  'user.api-key-remind': 'Was told that the API key expires',
  'user.password-link': 'Was sent a link to set a password',
  'license.change': 'Was given another license',
  'cli.user-create': 'Was made at the host',
  'cli.user-deactivate': 'Was deactivated at the host',
  'cli.set-password-link': 'Was given a link to set a password at the host',
  'cli.make-admin': 'Was made an administrator at the host',
  'cli.api-key': 'Was given an API key at the host',
  'site.first-administrator': 'Became the first administrator',
  'group.assign': 'Came into groups',
  'group.unassign': 'Left groups',
  'group.delete': 'Lost a group that was deleted',
  'proxy.change': 'Proxies were changed',
  'acting.begin': 'A proxy began to act for them',
  'acting.end': 'A proxy stopped acting for them',
  'membership.end': 'The temporary membership ended',
  'membership.reopen': 'The temporary membership was opened again',
  'membership.remind': 'Was told that the membership ends',
  'invitation.extend': 'The temporary membership was extended',
  'invitation.accept': 'Accepted an invitation',
};

/** Properties by name, in the order in which they are told. */
const PROPERTIES: Readonly<Record<string, string>> = {
  firstName: 'First name',
  lastName: 'Last name',
  email: 'E-mail',
  isActive: 'Status',
  licenseTypeId: 'License',
  groups: 'Groups',
  twoFactorEnabled: 'Two-factor authentication',
  ipRestrictionsEnabled: 'Approved addresses only',
  isLocked: 'Locked',
  federationId: 'Federation id',
  userEntryId: 'Entry',
  homeSiteId: 'First site',
  principals: 'May act for',
  proxies: 'Proxies',
  proxy: 'Proxy',
  actingReport: 'Report of the acting',
  membershipExpiresDate: 'Membership ends',
  clientId: 'API key',
  scopes: 'Scopes',
  apiKeyExpiresDate: 'API key expires',
  status: 'Status',
};
const ORDER = Object.keys(PROPERTIES);
const placeOf = (property: string): number => ORDER.indexOf(property) + 1 || ORDER.length + 1;

/** What ids in a change are called. */
export interface Names {
  group: (id: number) => string;
  user: (id: number) => string;
}

const PEOPLE = new Set(['principals', 'proxies', 'proxy']);

/** "user.two-factor" where nobody wrote a better sentence for it: "User: two factor". */
function plainly(action: string): string {
  const [area = '', ...rest] = action.split('.');
  const words = rest.join(' ').replaceAll('-', ' ');
  return `${area.charAt(0).toLocaleUpperCase()}${area.slice(1)}${words === '' ? '' : `: ${words}`}`;
}

/** What was done, as a sentence without its full stop. */
export const actionWords = (action: string): string => ACTIONS[action] ?? plainly(action);

function valueWords(property: string, value: unknown, names: Names): string {
  if (value === null || value === undefined || value === '') return 'nothing';
  if (Array.isArray(value)) {
    return value.length === 0 ? 'nothing' : value.map((one) => valueWords(property, one, names)).join(', ');
  }
  if (typeof value === 'boolean') {
    if (property === 'isActive') return value ? 'Active' : 'Inactive';
    return value ? 'on' : 'off';
  }
  if (typeof value === 'number') {
    if (property === 'licenseTypeId') return licenseName(value);
    if (property === 'groups') return names.group(value);
    return PEOPLE.has(property) ? names.user(value) : String(value);
  }
  if (typeof value === 'string') return property.endsWith('Date') ? exactDate(value) : value;
  return JSON.stringify(value);
}

export interface Step {
  property: string;
  /** Undefined where nothing was there before. */
  before: string | undefined;
  after: string;
}

const isPair = (value: unknown): value is [unknown, unknown] => Array.isArray(value) && value.length === 2;

/** What was changed, property by property: before and after in words. */
export function stepsOf({ changes }: Pick<UserChange, 'changes'>, names: Names): Step[] {
  const told = Object.entries(changes).toSorted(([a], [b]) => placeOf(a) - placeOf(b));
  return told.map(([property, value]) => {
    const [before, after] = isPair(value) ? value : [undefined, value];
    const came = before === null || before === undefined;
    return {
      property: PROPERTIES[property] ?? property,
      before: came ? undefined : valueWords(property, before, names),
      after: valueWords(property, after, names),
    };
  });
}

/** The ids that a change names, to be read by name. */
export function idsIn(changes: readonly UserChange[]): { people: number[] } {
  const people = changes.flatMap(({ changes: one }) =>
    Object.entries(one).flatMap(([property, value]) => (PEOPLE.has(property) ? [value].flat(2) : [])),
  );
  return { people: [...new Set(people.filter((id) => typeof id === 'number'))] };
}
