import { expect, it } from 'vitest';
import { hasAnyCapability, formatMissingCapabilities } from './session.ts';

it('accepts any one of the capabilities', () => {
  const session = { capabilities: ['Manage Users' as const, 'Read Data' as const] };
  expect(hasAnyCapability(session, ['Manage Groups', 'Manage Users'])).toBe(true);
  expect(hasAnyCapability(session, ['Manage Groups'])).toBe(false);
  expect(hasAnyCapability(session, [])).toBe(true);
});

it('names the missing capabilities', () => {
  expect(formatMissingCapabilities(['Manage Users'])).toBe('You need the Manage Users capability');
  expect(formatMissingCapabilities(['Manage Users', 'Manage Groups', 'View Activity'])).toBe(
    'You need the Manage Users, Manage Groups or View Activity capability',
  );
});
