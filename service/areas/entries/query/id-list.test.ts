import { expect, test } from 'vitest';
import { formatIds } from './id-list.ts';

test('ids are formatted as join does', () => {
  const many = Array.from({ length: 1_200 }, (_, at) => at * 1_000_003);
  for (const ids of [
    many,
    [],
    [0],
    [7],
    [1, 10, 99, 100, 2_147_483_647, 3],
    [2_147_483_647, 2_147_483_647],
  ]) {
    const list = Int32Array.from(ids);
    expect(formatIds(list)).toBe(list.join(','));
  }
});
