import { expect, it } from 'vitest';
import { hasAnyCapability, formatMissingCapabilities } from './session.ts';

it('accepts any one of the capabilities', () => {
  const session = { capabilities: ['Manage Users' as const, 'Read Data' as const] };
  expect(hasAnyCapability(session, ['Manage Groups', 'Manage Users'])).toBe(true);
  expect(hasAnyCapability(session, ['Manage Groups'])).toBe(false);
  expect(hasAnyCapability(session, [])).toBe(true);
});

it('names the missing capabilities', () => {
  expect(formatMissingCapabilities(['Manage Users'])).toBe('Needs the capability Manage Users');
  expect(formatMissingCapabilities(['Manage Users', 'Manage Groups', 'View Activity'])).toBe(
    'Needs one of the capabilities Manage Users, Manage Groups or View Activity',
  );
});
