import { expect, test } from 'vitest';
import { setAuditSentences } from '../../../app/area/audit-sentences.ts';
import { formatAction, collectUserIds, formatChanges } from './change-format.ts';

const names = {
  getGroupName: (id: number) => `Group ${id}`,
  getUserName: (id: number) => `Person ${id}`,
  getTypeName: (id: number) => `Type ${id}`,
};
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

test('formats values before and after', () => {
  expect(
    formatChanges(
      {
        changes: {
          lastName: ['Okafor', 'Okafor-Lind'],
          isActive: [true, false],
          licenseTypeId: [1, 4],
          groups: [[1], [1, 2]],
          twoFactorEnabled: [false, true],
          federationId: [null, 'x'],
          timeZone: ['Europe/Lisbon', null],
          proxies: [[], [7]],
          unknownProperty: 5,
        },
      },
      names,
    ),
  ).toEqual([
    { property: 'Last name', before: 'Okafor', after: 'Okafor-Lind' },
    { property: 'Status', before: 'Active', after: 'Inactive' },
    { property: 'License', before: 'Standard', after: 'No License' },
    { property: 'Groups', before: 'Group 1', after: 'Group 1, Group 2' },
    { property: 'Two-factor authentication', before: 'Off', after: 'On' },
    { property: 'Federation id', before: undefined, after: 'x' },
    { property: 'Time zone', before: 'Europe/Lisbon', after: 'Same as the site' },
    { property: 'Proxies', before: 'None', after: 'Person 7' },
    { property: 'unknownProperty', before: undefined, after: '5' },
  ]);
});

test('formats an unknown action by its name', () => {
  setAuditSentences({ 'user.set-password': 'Set a password' });
  expect(formatAction('user.set-password')).toBe('Set a password');
  expect(formatAction('thing.was-done')).toBe('Thing: was done');
  expect(formatAction('')).toBe('');
});

test('collects the ids of users in changes', () => {
  expect(collectUserIds([change({ proxies: [[3], [7, 3]], groups: [[1], [2]], proxy: [null, 9] })])).toEqual([
    3, 7, 9,
  ]);
});
