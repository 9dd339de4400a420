import { expect, test } from 'vitest';
import { signInChecks } from './-sign-in-checks.ts';

const user = { isActive: true, isLocked: false, twoFactorEnabled: false, ipRestrictionsEnabled: false };
const license = { licenseTypeId: 1, description: 'Standard' };
const answers = (...args: Parameters<typeof signInChecks>) =>
  signInChecks(...args).map(({ answer }) => answer);

test('an active, licensed person with a password: only the password is not known', () => {
  expect(answers(user, license, 'password')).toEqual(['yes', 'yes', 'yes', 'yes', 'yes', 'unknown']);
});

test('each thing that stands in the way says no', () => {
  const none = { licenseTypeId: 4, description: 'No License' };
  expect(answers({ ...user, isActive: false, isLocked: true }, none, 'password').slice(0, 3)).toEqual([
    'no',
    'no',
    'no',
  ]);
});

test('what the interface does not tell is not claimed', () => {
  const restricted = { ...user, twoFactorEnabled: true, ipRestrictionsEnabled: true };
  expect(answers(restricted, license, 'identity-manager').slice(3)).toEqual(['unknown', 'yes', 'unknown']);
});
