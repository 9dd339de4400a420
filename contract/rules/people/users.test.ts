import { expect, test } from 'vitest';
import { findRefusedSwitches, validatePassword } from './users.ts';

const off = { twoFactorEnabled: false, ipRestrictionsEnabled: false };
const on = { twoFactorEnabled: true, ipRestrictionsEnabled: true };

test('refuses to turn off switches that are on', () => {
  expect(findRefusedSwitches(on, off)).toEqual(['twoFactorEnabled', 'ipRestrictionsEnabled']);
  expect(findRefusedSwitches({ ...off, ipRestrictionsEnabled: true }, off)).toEqual([
    'ipRestrictionsEnabled',
  ]);
});

test('allows turning switches on, repeating their value and omitting them', () => {
  expect(findRefusedSwitches(off, on)).toEqual([]);
  expect(findRefusedSwitches(on, on)).toEqual([]);
  expect(findRefusedSwitches(off, off)).toEqual([]);
  expect(findRefusedSwitches(on, {})).toEqual([]);
});

test.each([
  [' '.repeat(12), undefined, 'must not consist of spaces only'],
  ['\u00a0\t'.repeat(8), 'ada@example.com', 'must not consist of spaces only'],
  ['ada@example.com', 'Ada@Example.com', 'must not be the e-mail address'],
  [' ADA@example.com ', 'ada@example.com', 'must not be the e-mail address'],
  ['ada@example.com', undefined, undefined],
  ['correct horse battery', 'ada@example.com', undefined],
])('password %j of %s: %s', (password, email, issue) => {
  expect(validatePassword(password, email)).toBe(issue);
});
