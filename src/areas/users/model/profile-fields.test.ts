import { expect, test } from 'vitest';
import { changesOf, profileSchema } from './profile-fields.ts';

const base = { firstName: 'Ada', lastName: 'Okafor', email: 'ada@northlight.example', federationId: 'f-1' };

test('only what differs is sent', () => {
  expect(changesOf(base, base)).toEqual({});
  expect(changesOf(base, { ...base, lastName: 'Lind' })).toEqual({ lastName: 'Lind' });
});

test('an emptied federation id is cleared', () => {
  expect(changesOf(base, { ...base, federationId: '' })).toEqual({ federationId: null });
});

test('the form takes what the contract takes', () => {
  expect(profileSchema.safeParse(base).success).toBe(true);
  expect(profileSchema.safeParse({ ...base, firstName: '' }).success).toBe(false);
  expect(profileSchema.safeParse({ ...base, email: 'ada' }).success).toBe(false);
});
