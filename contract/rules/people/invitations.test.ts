import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { validateDuration, MAX_DURATION_DAYS } from './invitations.ts';

test.each([
  [0, undefined, undefined],
  [0, null, undefined],
  [1, 1, undefined],
  [1, undefined, 'is required for a temporary invitation (type 1)'],
  [1, null, 'is required for a temporary invitation (type 1)'],
  [0, 30, 'has no effect for a permanent invitation (type 0): leave it out'],
])('type %d with duration %s: %s', (type, duration, issue) => {
  expect(validateDuration(type, duration)).toBe(issue);
});

test('MAX_DURATION_DAYS equals the maximum in the contract', () => {
  const area: unknown = parse(readFileSync(new URL('../../areas/invitations.yaml', import.meta.url), 'utf8'));
  const days = { properties: { days: { maximum: MAX_DURATION_DAYS } } };
  const duration = { properties: { duration: { maximum: MAX_DURATION_DAYS } } };
  expect(area).toMatchObject({ schemas: { ExtendInvitation: days, InviteExistingUserRequestVm: duration } });
});
