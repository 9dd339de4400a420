import { expect, test } from 'vitest';
import { licenseType, licenseTypes } from './licenses.ts';

test('exactly the types 1 and 2 are billable (spec 2.2)', () => {
  expect(licenseTypes.filter((type) => type.isBillable).map((type) => type.licenseTypeId)).toEqual([1, 2]);
});

test('a type is found by its id', () => {
  expect(licenseType(3)?.description).toBe('Free/Complimentary');
});

test.each([0, 5, 1.5])('%d is no license type', (id) => {
  expect(licenseType(id)).toBeUndefined();
});
