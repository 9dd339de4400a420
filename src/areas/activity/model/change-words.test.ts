import { expect, test } from 'vitest';
import { actionWords, idsIn, stepsOf } from './change-words.ts';

const names = { group: (id: number) => `Group of ${id}`, user: (id: number) => `Person ${id}` };
const change = (changes: Record<string, unknown>) => ({
  id: 1,
  date: '2026-11-21T08:00:00.000Z',
  action: 'user.update',
  changes,
  changedBy: 1,
  changedByName: null,
  proxyUserId: null,
  proxyUserName: null,
  ipAddress: null,
});

test('before and after are told in words', () => {
  expect(
    stepsOf(
      {
        changes: {
          lastName: ['Okafor', 'Okafor-Lind'],
          isActive: [true, false],
          licenseTypeId: [1, 4],
          groups: [[1], [1, 2]],
          twoFactorEnabled: [false, true],
          federationId: [null, 'x'],
          proxies: [[], [7]],
          unheardOf: 5,
        },
      },
      names,
    ),
  ).toEqual([
    { property: 'Last name', before: 'Okafor', after: 'Okafor-Lind' },
    { property: 'Status', before: 'Active', after: 'Inactive' },
    { property: 'License', before: 'Standard', after: 'No License' },
    { property: 'Groups', before: 'Group of 1', after: 'Group of 1, Group of 2' },
    { property: 'Two-factor authentication', before: 'off', after: 'on' },
    { property: 'Federation id', before: undefined, after: 'x' },
    { property: 'Proxies', before: 'nothing', after: 'Person 7' },
    { property: 'unheardOf', before: undefined, after: '5' },
  ]);
});

test('an action without a sentence of its own is told plainly', () => {
  expect(actionWords('user.set-password')).toBe('Set a password');
  expect(actionWords('thing.was-done')).toBe('Thing: was done');
  expect(actionWords('')).toBe('');
});

test('people in changes are found to be named', () => {
  expect(idsIn([change({ proxies: [[3], [7, 3]], groups: [[1], [2]], proxy: [null, 9] })]).people).toEqual([
    3, 7, 9,
  ]);
});
