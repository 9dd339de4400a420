import { expect, test } from 'vitest';
import { getProfileChanges, profileSchema } from './profile-fields.ts';

const base = {
  firstName: 'Ada',
  lastName: 'Okafor',
  email: 'ada@northlight.example',
  federationId: 'f-1',
  timeZone: 'Europe/Lisbon',
};

test('sends only changed fields', () => {
  expect(getProfileChanges(base, base)).toEqual({});
  expect(getProfileChanges(base, { ...base, lastName: 'Lind' })).toEqual({ lastName: 'Lind' });
});

test.each(['federationId', 'timeZone'])('clears an emptied %s', (field) => {
  expect(getProfileChanges(base, { ...base, [field]: '' })).toEqual({ [field]: null });
});

test('accepts what the contract accepts', () => {
  expect(profileSchema.safeParse(base).success).toBe(true);
  expect(profileSchema.safeParse({ ...base, firstName: '' }).success).toBe(false);
  expect(profileSchema.safeParse({ ...base, email: 'ada' }).success).toBe(false);
});
