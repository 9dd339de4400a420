import { expect, test } from 'vitest';
import { ServiceError } from '../../../api/errors.ts';
import { formatRefusal } from './refusal.ts';

test('distinguishes the two reasons of a 403', () => {
  const refusal = new ServiceError(403, 'The site may not manage existing users');
  expect(formatRefusal('add', refusal, [])).toMatch(/^You do not have the capability Manage Existing Users;/);
  expect(formatRefusal('add', refusal, ['Manage Existing Users'])).toBe(
    'The site may not manage existing users',
  );
});

test('names the value that was refused', () => {
  const days = { path: 'days', message: 'would move the end to more than 3650 days from now' };
  expect(formatRefusal('extend', new ServiceError(400, 'days: would move', [days]), [])).toBe(
    'That would move the end to more than 3650 days from now',
  );
  expect(formatRefusal('revoke', new ServiceError(404, 'Invitation 3 does not exist'), [])).toBe(
    'This invitation no longer exists',
  );
});
