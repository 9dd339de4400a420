import { expect, test } from 'vitest';
import { fileName } from './file-name.ts';

const at = new Date(2026, 10, 5);

test('the name says what was asked for, and when', () => {
  expect(fileName('users', 'Search: Zoë · License: Standard, Limited', 'csv', at)).toBe(
    'users-search-zoe-license-standard-limited-2026-11-05.csv',
  );
  expect(fileName('users', undefined, 'xlsx', at)).toBe('users-2026-11-05.xlsx');
  expect(fileName('users', '../../etc/passwd\u0000', 'csv', at)).toBe('users-etc-passwd-2026-11-05.csv');
  expect(fileName('users', 'x'.repeat(500), 'csv', at).length).toBeLessThan(110);
});
