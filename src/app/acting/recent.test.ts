import { expect, it } from 'vitest';
import { recentFirst } from './recent.ts';

it('puts those acted for recently first, then the names', () => {
  const people = [
    { id: 1, fullName: 'Ben' },
    { id: 2, fullName: 'Ada' },
    { id: 3, fullName: 'Grace' },
    { id: 4, fullName: 'Chiara' },
  ];
  expect(recentFirst(people, [4, 3]).map(({ id }) => id)).toEqual([4, 3, 2, 1]);
});
