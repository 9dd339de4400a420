import { licenseType } from '../../contract/rules/licenses.ts';
import type { UserInfoResponse, UserLicenseInfoResponse } from '../api/generated/types.gen.ts';
import { fold } from '../lib/fold.ts';

/** A user of the site with their license, and what search and sorting compare, computed once. */
export interface DirectoryRow {
  id: number;
  firstName: string;
  lastName: string;
  /** Both names, as one person is written. */
  name: string;
  email: string;
  isActive: boolean;
  isLocked: boolean;
  groups: readonly number[];
  twoFactor: boolean;
  approvedAddresses: boolean;
  created: string;
  modified: string;
  /** Undefined until the page of licenses that tells it has been read. */
  licenseTypeId: number | undefined;
  /** `modified` as a number. */
  modifiedAt: number;
  foldedName: string;
  foldedEmail: string;
}

/** Joins what two calls tell about one user. */
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
    created: user.createdDate,
    modified: user.modifiedDate,
    licenseTypeId,
    modifiedAt: Date.parse(user.modifiedDate),
    foldedName: fold(name),
    foldedEmail: fold(user.email),
  };
}

/** Licenses by user, from pages of `GET /userLicenses`. */
export type Licenses = Map<number, number>;

export function noteLicenses(known: Licenses, page: readonly UserLicenseInfoResponse[]): void {
  for (const { userId, licenseTypeId } of page) known.set(userId, licenseTypeId);
}

/** Whether somebody's license is billed (spec 2.2). */
export const isBillable = ({ licenseTypeId }: DirectoryRow): boolean =>
  licenseType(licenseTypeId ?? 0)?.isBillable ?? false;
