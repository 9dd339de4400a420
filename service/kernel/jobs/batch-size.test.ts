import { expect, test } from 'vitest';
import { getNextBatchSize } from './run-jobs.ts';

/** Sizes of ten batches, the first of which has `size` items, if a batch costs `ms(size)`. */
function listSizes(size: number, getMs: (size: number) => number): number[] {
  const sizes = [size];
  for (let count = 0; count < 10; count += 1) {
    const last = sizes.at(-1) ?? 0;
    sizes.push(getNextBatchSize(last, getMs(last)));
  }
  return sizes;
}

test('batches grow while they are fast, at most to 1,000 items', () => {
  expect(listSizes(50, () => 10).slice(0, 7)).toEqual([50, 100, 200, 400, 800, 1_000, 1_000]);
});

test('batches whose items are slow take 60 ms, small ones at most 400 ms', () => {
  expect(Math.max(...listSizes(50, (size) => size * 20).slice(1))).toBeLessThanOrEqual(20);
  expect(listSizes(400, (size) => size / 3).at(-1)).toBe(180);
});

test('batches that are slow whatever their size do not shrink to single items', () => {
  expect(listSizes(50, () => 150).at(-1)).toBe(100);
  expect(listSizes(1, () => 150).at(-1)).toBe(100);
  expect(listSizes(1_000, () => 150).at(-1)).toBe(100);
});
