import { expect, test } from 'vitest';
import {
  computeZoomFactor,
  findAnchor,
  findAnchorTop,
  findPageAt,
  findPagesInView,
  layOutPages,
  limitPixelRatio,
  rotateLeft,
  stepZoom,
} from './page-layout.ts';

const A4 = { width: 794, height: 1123 };
const WINDOW = { width: 818, height: 623 };

test('fits the width or the page into the window, and enlarges small pages only twice', () => {
  expect(computeZoomFactor('width', A4, WINDOW)).toBe(1);
  expect(computeZoomFactor('page', A4, WINDOW)).toBeCloseTo(599 / 1123);
  expect(computeZoomFactor('width', { width: 50, height: 50 }, WINDOW)).toBe(2);
  expect(computeZoomFactor(0.7, A4, WINDOW)).toBe(0.7);
});

test('steps from a fitted factor to the next step, and not beyond the last', () => {
  expect([stepZoom(0.9, 1), stepZoom(0.9, -1), stepZoom(4, 1), stepZoom(0.25, -1)]).toEqual([
    1, 0.75, 4, 0.25,
  ]);
});

test('places pages of different sizes below each other and finds them by distance', () => {
  const layout = layOutPages([A4, { width: 1123, height: 794 }, A4], 0.5, 0);
  expect(layout.tops).toEqual([12, 585, 994]);
  expect(layout).toMatchObject({ width: 561 + 24, height: 994 + 561 + 12 });
  expect([0, 584, 585, 993, 994, 99_999].map((y) => findPageAt(layout, y))).toEqual([0, 0, 1, 1, 2, 2]);
  expect(findPagesInView(layout, 600, 100)).toEqual([0, 2]);
  expect(findPagesInView(layout, 0, 100)).toEqual([0, 1]);
});

test('keeps the point at the top when the zoom or the size of an earlier page changes', () => {
  const sizes = [A4, A4, A4];
  const before = layOutPages(sizes, 1, 0);
  const anchor = findAnchor(before, (before.tops[2] ?? 0) + 500);
  expect(anchor.page).toBe(2);
  const after = layOutPages(sizes.with(0, { width: 794, height: 2000 }), 2, 0);
  expect(findAnchorTop(after, anchor)).toBeCloseTo((after.tops[2] ?? 0) + 1000);
});

test('a quarter turn exchanges width and height, four of them change nothing', () => {
  expect(layOutPages([A4], 1, 90).sizes).toEqual([{ width: 1123, height: 794 }]);
  expect(rotateLeft(rotateLeft(rotateLeft(rotateLeft(0))))).toBe(0);
});

test('a canvas has at most 16 megapixels, also for the largest page of the format', () => {
  expect(limitPixelRatio(A4, 2)).toBe(2);
  for (const side of [14_400, 40_000]) {
    const ratio = limitPixelRatio({ width: side, height: side }, 3);
    expect((side * ratio) ** 2).toBeLessThanOrEqual(2 ** 24 + 1);
  }
  expect(100_000 * limitPixelRatio({ width: 100_000, height: 10 }, 1)).toBeLessThanOrEqual(16_384);
});
