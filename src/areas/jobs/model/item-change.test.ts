import { expect, test } from 'vitest';
import type { GroupInfoResponse, JobItem } from '../../../../contract/generated/types.gen.ts';
import { describeChange } from './item-change.ts';

const item = (input: object, before: object | null = null): JobItem => ({
  number: 1,
  label: 'Ann Lee',
  detail: 'ann@people.example',
  state: before ? 'done' : 'failed',
  reason: null,
  endedDate: null,
  input: { ...input },
  before: before && { ...before },
});
const group = (id: number, name: string): GroupInfoResponse => ({ id, name, userCount: 0 });
const groups = [group(3, 'Partners'), group(4, 'Research')];

test('a license is shown with the one before, if the service knows it', () => {
  const job = { kind: 'licenses.change' as const, parameters: {} };
  expect(describeChange(job, item({ licenseTypeId: 4 }, { licenseTypeId: 1 }), groups)).toEqual({
    from: 'Standard',
    to: 'No License',
  });
  expect(describeChange(job, item({ licenseTypeId: 4 }), groups)).toEqual({ to: 'No License' });
  // 90 days after the end the request is empty.
  expect(describeChange(job, item({}), groups)).toBeUndefined();
});

test('groups are shown as they were changed', () => {
  const job = { kind: 'groups.change' as const, parameters: {} };
  expect(describeChange(job, item({ add: [3, 5], remove: [4] }), groups)?.to).toBe(
    '+ Partners, + group 5, − Research',
  );
  expect(describeChange(job, item({ add: [3], remove: [4] }, { add: [4], remove: [] }), groups)?.to).toBe(
    '− Research',
  );
});

test('switches and time zones are shown by their new value', () => {
  const update = (parameters: Record<string, unknown>, ...given: Parameters<typeof item>) =>
    describeChange({ kind: 'users.update', parameters }, item(...given), groups);
  expect(update({ isActive: false }, {})).toEqual({ to: 'Inactive' });
  expect(update({ twoFactorEnabled: true }, {})).toEqual({ to: 'Two-factor on' });
  expect(update({ timeZone: 'America/New_York' }, {}, { timeZone: null })).toEqual({
    from: "The site's",
    to: 'America/New York',
  });
  expect(update({}, { timeZone: null }, { timeZone: 'Europe/Lisbon' })).toEqual({
    from: 'Europe/Lisbon',
    to: "The site's",
  });
  expect(describeChange({ kind: 'users.remove', parameters: {} }, item({}), groups)).toBeUndefined();
});
