import { expect, test } from 'vitest';
import { getNextPage } from './unused.ts';

test('returns growing pages without gaps or overlaps', () => {
  const sizes: number[] = [];
  let read = 0;
  while (read < 5000) {
    const { pageNumber, pageSize } = getNextPage(read).query;
    expect((pageNumber - 1) * pageSize).toBe(read);
    sizes.push(pageSize);
    read += pageSize;
  }
  expect(sizes).toEqual([50, 50, 100, 200, 200, 200, 200, 1000, 1000, 1000, 1000]);
});
