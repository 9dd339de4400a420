import { expect, test } from 'vitest';
import { findLicenseType, getBillableChange, licenseTypes } from './licenses.ts';

test('exactly the types 1 and 2 are billable (spec 2.2)', () => {
  expect(licenseTypes.filter((type) => type.isBillable).map((type) => type.licenseTypeId)).toEqual([1, 2]);
});

test('finds a type by its id', () => {
  expect(findLicenseType(3)?.description).toBe('Free/Complimentary');
});

test.each([0, 5, 1.5])('returns undefined for the unknown id %d', (id) => {
  expect(findLicenseType(id)).toBeUndefined();
});

test.each([
  [1, 2, 0],
  [1, 3, -1],
  [4, 2, 1],
  [3, 4, 0],
  [null, 1, 1],
])('changing from %j to %j changes billing by %d', (from, to, change) => {
  expect(getBillableChange(from, to)).toBe(change);
});
