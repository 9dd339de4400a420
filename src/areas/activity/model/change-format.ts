import type { UserChange } from '../../../../contract/generated/types.gen.ts';
import { getLicenseName } from '../../../../contract/rules/people/licenses.ts';
import { getAuditSentence } from '../../../app/area/audit-sentences.ts';
import { formatExactDate } from '../../../lib/dates/dates.ts';

/** Labels of the properties of a change, in display order. */
const PROPERTY_LABELS: Readonly<Record<string, string>> = {
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
  timeZone: 'Time zone',
  userEntryId: 'Entry',
  homeSiteId: 'Home site',
  principals: 'May act for',
  proxies: 'Proxies',
  proxy: 'Proxy',
  actingReport: 'Acting report',
  membershipExpiresDate: 'Membership ends',
  clientId: 'API key',
  scopes: 'Scopes',
  apiKeyExpiresDate: 'API key expires',
  status: 'Status',
};
const PROPERTY_ORDER = Object.keys(PROPERTY_LABELS);
const getPosition = (property: string): number =>
  PROPERTY_ORDER.indexOf(property) + 1 || PROPERTY_ORDER.length + 1;

/** Resolves the ids in a change to names. */
export interface NameResolver {
  getGroupName: (id: number) => string;
  getUserName: (id: number) => string;
  getTypeName: (id: number) => string;
}

const USER_PROPERTIES = new Set(['principals', 'proxies', 'proxy', 'recipients', 'userId']);
const TYPE_PROPERTIES = new Set(['entryTypeId', 'entryTypeIds']);

/** Label of an action without a sentence: "user.two-factor" becomes "User: two factor". */
export function formatUnknownAction(action: string): string {
  const [area = '', ...rest] = action.split('.');
  const words = rest.join(' ').replaceAll('-', ' ');
  return `${area.charAt(0).toLocaleUpperCase()}${area.slice(1)}${words === '' ? '' : `: ${words}`}`;
}

/** Sentence for an audit action, without the full stop. */
export const formatAction = (action: string): string =>
  getAuditSentence(action) ?? formatUnknownAction(action);

/** Formats a value of a property; ids of groups, users and entry types by their names. */
export function formatValue(property: string, value: unknown, names: NameResolver): string {
  if (value === null || value === undefined || value === '')
    return property === 'timeZone' ? 'Same as the site' : 'None';
  if (Array.isArray(value)) {
    return value.length === 0 ? 'None' : value.map((one) => formatValue(property, one, names)).join(', ');
  }
  if (typeof value === 'boolean') {
    if (property === 'isActive') return value ? 'Active' : 'Inactive';
    return value ? 'On' : 'Off';
  }
  if (typeof value === 'number') {
    if (property === 'licenseTypeId') return getLicenseName(value);
    if (property === 'groups') return names.getGroupName(value);
    if (TYPE_PROPERTIES.has(property)) return names.getTypeName(value);
    return USER_PROPERTIES.has(property) ? names.getUserName(value) : String(value);
  }
  if (typeof value === 'string') return property.endsWith('Date') ? formatExactDate(value) : value;
  return JSON.stringify(value);
}

/** A changed property with its values as text. */
export interface PropertyChange {
  property: string;
  /** Undefined if there was no value before. */
  before: string | undefined;
  after: string;
}

/** The label of a property of a user; undefined for any other. */
export const getPropertyLabel = (property: string): string | undefined => PROPERTY_LABELS[property];

export const isPair = (value: unknown): value is [unknown, unknown] =>
  Array.isArray(value) && value.length === 2;

/** Formats the changed properties of a change. */
export function formatChanges(
  { changes }: Pick<UserChange, 'changes'>,
  names: NameResolver,
): PropertyChange[] {
  const entries = Object.entries(changes).toSorted(([a], [b]) => getPosition(a) - getPosition(b));
  return entries.map(([property, value]) => {
    const [before, after] = isPair(value) ? value : [undefined, value];
    const isNew = before === null || before === undefined;
    return {
      property: PROPERTY_LABELS[property] ?? property,
      before: isNew ? undefined : formatValue(property, before, names),
      after: formatValue(property, after, names),
    };
  });
}

/** Ids of the users that changes refer to. */
export function collectUserIds(changes: readonly Pick<UserChange, 'changes'>[]): number[] {
  const userIds = changes.flatMap(({ changes: one }) =>
    Object.entries(one).flatMap(([property, value]) =>
      USER_PROPERTIES.has(property) ? [value].flat(2) : [],
    ),
  );
  return [...new Set(userIds.filter((id) => typeof id === 'number'))];
}
