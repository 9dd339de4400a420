import type { UserInfoResponse } from '../../../contract/generated/types.gen.ts';

/** State of a user that bulk changes can affect. */
export interface PersonState {
  isActive: boolean;
  /** Undefined if licenses were not read because the action does not need them. */
  licenseTypeId: number | undefined;
  groups: readonly number[];
  twoFactor: boolean;
  approvedAddresses: boolean;
  /** IANA name; null when the zone of the site applies. */
  timeZone: string | null;
}

/** User as just read from the service. */
export interface Person extends PersonState {
  id: number;
  name: string;
  email: string;
  modified: string;
  modifiedBy: number | null;
}

export const toPerson = (user: UserInfoResponse, licenseTypeId: number | undefined): Person => ({
  id: user.id,
  name: `${user.firstName} ${user.lastName}`,
  email: user.email,
  isActive: user.isActive,
  licenseTypeId,
  groups: user.groups,
  twoFactor: user.twoFactorEnabled,
  approvedAddresses: user.ipRestrictionsEnabled,
  timeZone: user.timeZone ?? null,
  modified: user.modifiedDate,
  modifiedBy: user.modifiedBy,
});

/** Planned change of one user; `after` is undefined if the user leaves the site. */
export interface PersonChange {
  person: Person;
  after: PersonState | undefined;
}

/** Groups that a change adds and removes. */
export function getGroupDifference({ person, after }: PersonChange): { added: number[]; removed: number[] } {
  if (!after) return { added: [], removed: [] };
  return {
    added: after.groups.filter((id) => !person.groups.includes(id)),
    removed: person.groups.filter((id) => !after.groups.includes(id)),
  };
}

export const isSame = (one: PersonState, other: PersonState): boolean =>
  one.isActive === other.isActive &&
  one.licenseTypeId === other.licenseTypeId &&
  one.twoFactor === other.twoFactor &&
  one.approvedAddresses === other.approvedAddresses &&
  one.timeZone === other.timeZone &&
  one.groups.length === other.groups.length &&
  one.groups.every((id) => other.groups.includes(id));
