import { expect, it } from 'vitest';
import { sortRecentFirst } from './recent-principals.ts';

it('sorts recent principals first, then by name', () => {
  const people = [
    { id: 1, fullName: 'Ben' },
    { id: 2, fullName: 'Ada' },
    { id: 3, fullName: 'Grace' },
    { id: 4, fullName: 'Chiara' },
  ];
  expect(sortRecentFirst(people, [4, 3]).map(({ id }) => id)).toEqual([4, 3, 2, 1]);
});
