import { expect, test } from 'vitest';
import { getNextBatchSize, getTargetMs } from './run-jobs.ts';

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

test('where a look-up takes long, batches take up to 400 ms instead of 60', () => {
  expect([1, 5, 20, 1_000].map(getTargetMs)).toEqual([60, 60, 240, 400]);
  // 100 items take 250 ms, of which six round trips of 40 ms: at 60 ms the batch would keep the least number of items.
  expect(getNextBatchSize(100, 250, getTargetMs(3))).toBe(100);
  expect(getNextBatchSize(100, 250, getTargetMs(40))).toBe(160);
});
