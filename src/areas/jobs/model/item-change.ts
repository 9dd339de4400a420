import type { GroupInfoResponse, Job, JobItem } from '../../../../contract/generated/types.gen.ts';
import { getLicenseName } from '../../../../contract/rules/people/licenses.ts';
import { formatTimeZoneName } from '../../../lib/dates/time-zones.ts';

/** What an item changes; `from` is known only where the service stored what was replaced. */
export interface ItemChange {
  from?: string;
  to: string;
}

type Values = Readonly<Record<string, unknown>>;

const getIds = (values: Values | null, name: string): number[] => {
  const ids = values?.[name];
  return Array.isArray(ids) ? ids.filter((id): id is number => typeof id === 'number') : [];
};

const asLicense = (value: unknown): string | undefined =>
  typeof value === 'number' ? getLicenseName(value) : undefined;

const asZone = (value: unknown): string =>
  typeof value === 'string' ? formatTimeZoneName(value) : "The site's";

function describeLicense({ input, before }: JobItem): ItemChange | undefined {
  const from = asLicense(before?.['licenseTypeId']);
  const to = asLicense(input['licenseTypeId']);
  return to === undefined ? undefined : { ...(from !== undefined && { from }), to };
}

function describeGroups(
  { input, before }: JobItem,
  groups: readonly GroupInfoResponse[],
): ItemChange | undefined {
  const getName = (id: number) => groups.find((group) => group.id === id)?.name ?? `group ${id}`;
  // `before` names what the inverse adds and removes.
  const added = before ? getIds(before, 'remove') : getIds(input, 'add');
  const removed = before ? getIds(before, 'add') : getIds(input, 'remove');
  const parts = [...added.map((id) => `+ ${getName(id)}`), ...removed.map((id) => `− ${getName(id)}`)];
  return parts.length === 0 ? undefined : { to: parts.join(', ') };
}

function describeSwitch(parameters: Values, { input, before }: JobItem): ItemChange | undefined {
  const { isActive, twoFactorEnabled, ipRestrictionsEnabled, timeZone } = parameters;
  if (typeof isActive === 'boolean') return { to: isActive ? 'Active' : 'Inactive' };
  if (twoFactorEnabled === true) return { to: 'Two-factor on' };
  if (ipRestrictionsEnabled === true) return { to: 'Approved addresses on' };
  const zone = input['timeZone'] === undefined ? timeZone : input['timeZone'];
  if (zone === undefined) return undefined;
  return { ...(before && { from: asZone(before['timeZone']) }), to: asZone(zone) };
}

/** What an item of a job changes, in words; undefined for kinds without a value to show. */
export function describeChange(
  { kind, parameters }: Pick<Job, 'kind' | 'parameters'>,
  item: JobItem,
  groups: readonly GroupInfoResponse[],
): ItemChange | undefined {
  if (kind === 'licenses.change') return describeLicense(item);
  if (kind === 'groups.change') return describeGroups(item, groups);
  return kind === 'users.update' ? describeSwitch(parameters, item) : undefined;
}
