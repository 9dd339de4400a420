import { expect, test } from 'vitest';
import { buildFileName } from './download.ts';

const at = new Date(2026, 10, 5);

test('builds the name from the filter and the date', () => {
  expect(buildFileName('users', 'Search: Zoë · License: Standard, Limited', 'csv', at)).toBe(
    'users-search-zoe-license-standard-limited-2026-11-05.csv',
  );
  expect(buildFileName('users', undefined, 'xlsx', at)).toBe('users-2026-11-05.xlsx');
  expect(buildFileName('users', '../../etc/passwd\u0000', 'csv', at)).toBe('users-etc-passwd-2026-11-05.csv');
  expect(buildFileName('users', 'x'.repeat(500), 'csv', at).length).toBeLessThan(110);
});
