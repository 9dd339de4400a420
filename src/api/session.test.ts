import { expect, it } from 'vitest';
import { can, lacking } from './session.ts';

it('lets whoever holds any one of the capabilities', () => {
  const session = { capabilities: ['Manage Users' as const, 'Read Data' as const] };
  expect(can(session, ['Manage Groups', 'Manage Users'])).toBe(true);
  expect(can(session, ['Manage Groups'])).toBe(false);
  expect(can(session, [])).toBe(true);
});

it('names what is lacking', () => {
  expect(lacking(['Manage Users'])).toBe('Needs the capability Manage Users');
  expect(lacking(['Manage Users', 'Manage Groups', 'View Activity'])).toBe(
    'Needs one of the capabilities Manage Users, Manage Groups or View Activity',
  );
});
