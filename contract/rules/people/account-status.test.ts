import { expect, test } from 'vitest';
import { getAccountStatuses } from './account-status.ts';

test('active does not depend on a lock, and a lock is shown beside it', () => {
  expect(getAccountStatuses({ isActive: true, isLocked: false })).toEqual(['active']);
  expect(getAccountStatuses({ isActive: true, isLocked: true })).toEqual(['active', 'locked']);
  expect(getAccountStatuses({ isActive: false, isLocked: true })).toEqual(['inactive', 'locked']);
});
