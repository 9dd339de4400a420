import type { UserInfoResponse, UserLicenseInfoResponse } from '../../../contract/generated/types.gen.ts';
import { foldText } from '../../../contract/rules/fold-text.ts';
import { findLicenseType } from '../../../contract/rules/people/licenses.ts';

/** A user of the site with their license and the precomputed values for search and sorting. */
export interface DirectoryRow {
  id: number;
  firstName: string;
  lastName: string;
  /** First and last name. */
  name: string;
  email: string;
  isActive: boolean;
  isLocked: boolean;
  groups: readonly number[];
  twoFactor: boolean;
  approvedAddresses: boolean;
  /** IANA name; null when the zone of the site applies. */
  timeZone: string | null;
  created: string;
  modified: string;
  /** Undefined until the license page of the user has been read. */
  licenseTypeId: number | undefined;
  /** `modified` in milliseconds since the epoch. */
  modifiedAt: number;
  foldedName: string;
  foldedEmail: string;
}

/** Joins a user and their license. */
export function toRow(user: UserInfoResponse, licenseTypeId: number | undefined): DirectoryRow {
  const name = `${user.firstName} ${user.lastName}`;
  return {
    id: user.id,
    firstName: user.firstName,
    lastName: user.lastName,
    name,
    email: user.email,
    isActive: user.isActive,
    isLocked: user.isLocked,
    groups: user.groups,
    twoFactor: user.twoFactorEnabled,
    approvedAddresses: user.ipRestrictionsEnabled,
    timeZone: user.timeZone ?? null,
    created: user.createdDate,
    modified: user.modifiedDate,
    licenseTypeId,
    modifiedAt: Date.parse(user.modifiedDate),
    foldedName: foldText(name),
    foldedEmail: foldText(user.email),
  };
}

/** License type ids by user id, from `GET /userLicenses`. */
export type Licenses = Map<number, number>;

export function recordLicenses(licenses: Licenses, page: readonly UserLicenseInfoResponse[]): void {
  for (const { userId, licenseTypeId } of page) licenses.set(userId, licenseTypeId);
}

/** Whether the user's license is billable (spec 2.2). */
export const isBillable = ({ licenseTypeId }: DirectoryRow): boolean =>
  findLicenseType(licenseTypeId ?? 0)?.isBillable ?? false;
