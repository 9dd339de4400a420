import { expect, test } from 'vitest';
import { findLicenseType, licenseTypes } from './licenses.ts';

test('exactly the types 1 and 2 are billable (spec 2.2)', () => {
  expect(licenseTypes.filter((type) => type.isBillable).map((type) => type.licenseTypeId)).toEqual([1, 2]);
});

test('finds a type by its id', () => {
  expect(findLicenseType(3)?.description).toBe('Free/Complimentary');
});

test.each([0, 5, 1.5])('returns undefined for the unknown id %d', (id) => {
  expect(findLicenseType(id)).toBeUndefined();
});
