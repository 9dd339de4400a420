import { expect, test } from 'vitest';
import { getProfileChanges, profileSchema } from './profile-fields.ts';

const base = { firstName: 'Ada', lastName: 'Okafor', email: 'ada@northlight.example', federationId: 'f-1' };

test('sends only changed fields', () => {
  expect(getProfileChanges(base, base)).toEqual({});
  expect(getProfileChanges(base, { ...base, lastName: 'Lind' })).toEqual({ lastName: 'Lind' });
});

test('clears an emptied federation id', () => {
  expect(getProfileChanges(base, { ...base, federationId: '' })).toEqual({ federationId: null });
});

test('accepts what the contract accepts', () => {
  expect(profileSchema.safeParse(base).success).toBe(true);
  expect(profileSchema.safeParse({ ...base, firstName: '' }).success).toBe(false);
  expect(profileSchema.safeParse({ ...base, email: 'ada' }).success).toBe(false);
});
