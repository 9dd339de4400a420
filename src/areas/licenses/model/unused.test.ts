import { expect, test } from 'vitest';
import { pageAfter } from './unused.ts';

test('pages follow one another without gap or overlap, and grow', () => {
  const sizes: number[] = [];
  let read = 0;
  while (read < 5000) {
    const { pageNumber, pageSize } = pageAfter(read).query;
    expect((pageNumber - 1) * pageSize).toBe(read);
    sizes.push(pageSize);
    read += pageSize;
  }
  expect(sizes).toEqual([50, 50, 100, 200, 200, 200, 200, 1000, 1000, 1000, 1000]);
});
