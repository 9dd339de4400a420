/** A license type of spec 2.2. */
export type LicenseType = { licenseTypeId: number; description: string; isBillable: boolean };

/** The license type of a new user by default. */
export const STANDARD_LICENSE = 1;
/** No License: the user keeps groups and data but may not act. */
export const NO_LICENSE = 4;

/** The license types in the order of spec 2.2. */
export const licenseTypes: readonly LicenseType[] = [
  { licenseTypeId: STANDARD_LICENSE, description: 'Standard', isBillable: true },
  { licenseTypeId: 2, description: 'Limited', isBillable: true },
  { licenseTypeId: 3, description: 'Free/Complimentary', isBillable: false },
  { licenseTypeId: NO_LICENSE, description: 'No License', isBillable: false },
];

/** The license type with this id; undefined for an unknown id. */
export function findLicenseType(licenseTypeId: number): LicenseType | undefined {
  return licenseTypes.find((type) => type.licenseTypeId === licenseTypeId);
}

const countBillable = (licenseTypeId: number | null | undefined): number =>
  findLicenseType(licenseTypeId ?? 0)?.isBillable ? 1 : 0;

/** Change in billable licenses when one license replaces another: 1, 0 or -1. @param from null for a new user */
export const getBillableChange = (from: number | null | undefined, to: number | null | undefined): number =>
  countBillable(to) - countBillable(from);

/** Display name of a license type. */
export const getLicenseName = (licenseTypeId: number | undefined): string =>
  findLicenseType(licenseTypeId ?? 0)?.description ?? 'an unknown license';
