/** A license type of spec 2.2. */
export type LicenseType = { licenseTypeId: number; description: string; isBillable: boolean };

/** The license types in the order of spec 2.2. */
export const licenseTypes: readonly LicenseType[] = [
  { licenseTypeId: 1, description: 'Standard', isBillable: true },
  { licenseTypeId: 2, description: 'Limited', isBillable: true },
  { licenseTypeId: 3, description: 'Free/Complimentary', isBillable: false },
  { licenseTypeId: 4, description: 'No License', isBillable: false },
];

/** The license type with this id; undefined for an id that spec 2.2 does not know. */
export function licenseType(licenseTypeId: number): LicenseType | undefined {
  return licenseTypes.find((type) => type.licenseTypeId === licenseTypeId);
}
