import { expect, test } from 'vitest';
import { buildFileName } from './file-name.ts';

const at = '2026-11-05';

test('builds the name from the filter and the date', () => {
  expect(buildFileName('users', 'Search: Zoë · License: Standard, Limited', 'csv', at)).toBe(
    'users-search-zoe-license-standard-limited-2026-11-05.csv',
  );
  expect(buildFileName('users', undefined, 'xlsx', at)).toBe('users-2026-11-05.xlsx');
  expect(buildFileName('users', '../../etc/passwd\u0000', 'csv', at)).toBe('users-etc-passwd-2026-11-05.csv');
  expect(buildFileName('users', 'x'.repeat(500), 'csv', at).length).toBeLessThan(110);
  // A character of two code units at the limit is left out whole.
  expect(buildFileName('users', `${'x'.repeat(79)}𠮷𠮷`, 'csv', at)).toBe(
    `users-${'x'.repeat(79)}-2026-11-05.csv`,
  );
});
