import { licenseType, NO_LICENSE } from '../../../contract/rules/licenses.ts';
import type { UserInfoResponse } from '../../api/generated/types.gen.ts';

/** What a bulk change can touch of somebody. */
export interface State {
  isActive: boolean;
  /** Undefined where the action does not concern licenses, and they were not read. */
  licenseTypeId: number | undefined;
  groups: readonly number[];
  twoFactor: boolean;
  approvedAddresses: boolean;
}

/** Somebody as the service has just told them. */
export interface Person extends State {
  id: number;
  name: string;
  email: string;
  modified: string;
  modifiedBy: number | null;
}

/** Joins what the service tells about one user, as far as a plan needs it. */
export const toPerson = (user: UserInfoResponse, licenseTypeId: number | undefined): Person => ({
  id: user.id,
  name: `${user.firstName} ${user.lastName}`,
  email: user.email,
  isActive: user.isActive,
  licenseTypeId,
  groups: user.groups,
  twoFactor: user.twoFactorEnabled,
  approvedAddresses: user.ipRestrictionsEnabled,
  modified: user.modifiedDate,
  modifiedBy: user.modifiedBy,
});

/** One person's part of a plan: as they are, and as they will be; undefined: no longer on the site. */
export interface Change {
  person: Person;
  after: State | undefined;
}

export const isBilled = (state: State | undefined): boolean =>
  licenseType(state?.licenseTypeId ?? NO_LICENSE)?.isBillable ?? false;

/** The groups that a change gives and takes. */
export function groupsOf({ person, after }: Change): { added: number[]; removed: number[] } {
  if (!after) return { added: [], removed: [] };
  return {
    added: after.groups.filter((id) => !person.groups.includes(id)),
    removed: person.groups.filter((id) => !after.groups.includes(id)),
  };
}

/** Whether anything that a change can touch differs. */
export const isSame = (one: State, other: State): boolean =>
  one.isActive === other.isActive &&
  one.licenseTypeId === other.licenseTypeId &&
  one.twoFactor === other.twoFactor &&
  one.approvedAddresses === other.approvedAddresses &&
  one.groups.length === other.groups.length &&
  one.groups.every((id) => other.groups.includes(id));
