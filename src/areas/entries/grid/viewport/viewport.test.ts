import { assert, integer, property } from 'fast-check';
import { expect, it } from 'vitest';
import {
  getScrollHeight,
  toScrollPosition,
  applyScroll,
  getTopToReveal,
  getLeftToReveal,
  getColumnWindow,
} from './viewport.ts';

const million = { height: 1_000_000 * 36, viewHeight: 700 };

it('limits the height of the scrolled element and reaches the last row', () => {
  expect(getScrollHeight(million)).toBeLessThan(17_000_000);
  const end = getScrollHeight(million) - million.viewHeight;
  expect(applyScroll(end, { top: 0, bar: 0 }, million).top).toBe(million.height - million.viewHeight);
  expect(applyScroll(0, { top: 5000, bar: 2000 }, million).top).toBe(0);
});

it('moves rows by the distance of the wheel and jumps in proportion', () => {
  const from = toScrollPosition(18_000_000, million);
  expect(applyScroll(from.bar + 100, from, million).top).toBeCloseTo(18_000_100);
  const half = (getScrollHeight(million) - million.viewHeight) / 2;
  expect(applyScroll(half, { top: 0, bar: 0 }, million).top).toBeCloseTo(
    (million.height - million.viewHeight) / 2,
  );
});

it('equals native scrolling if all rows fit', () => {
  const small = { height: 5000, viewHeight: 500 };
  expect(getScrollHeight(small)).toBe(5000);
  expect(applyScroll(1234, { top: 0, bar: 0 }, small)).toEqual({ top: 1234, bar: 1234 });
});

it('shows the position it was scrolled to', () => {
  assert(
    property(integer({ min: 0, max: million.height - million.viewHeight }), (top) => {
      const position = toScrollPosition(top, million);
      expect(applyScroll(position.bar, { top: 0, bar: 0 }, million).top).toBeCloseTo(top, -2);
    }),
  );
});

it('scrolls by the smallest distance that shows a row', () => {
  expect(getTopToReveal(3, 36, 0, 360)).toBe(0);
  expect(getTopToReveal(10, 36, 0, 360)).toBe(36);
  expect(getTopToReveal(0, 36, 720, 360)).toBe(0);
});

it('renders the visible columns and one on each side, and keeps the total width', () => {
  const widths = [240, ...Array.from({ length: 199 }, () => 100)];
  const span = getColumnWindow(widths, 1, 1050, 840);
  expect([span.first, span.end]).toEqual([10, 19]);
  const renderedWidth = widths.slice(span.first, span.end).reduce((sum, width) => sum + width, 0);
  expect(span.before + renderedWidth + span.after).toBe(19_900);
  expect(getColumnWindow(widths, 1, 0, 840)).toMatchObject({ first: 1, before: 0 });
  expect(getColumnWindow(widths, 1, 19_300, 840).end).toBe(200);
});

it('scrolls sideways until a column is fully visible', () => {
  const widths = [240, 100, 100, 100, 100, 100];
  expect(getLeftToReveal(widths, { column: 0, frozen: 1, left: 50, viewWidth: 440 })).toBe(50);
  expect(getLeftToReveal(widths, { column: 4, frozen: 1, left: 0, viewWidth: 440 })).toBe(200);
  expect(getLeftToReveal(widths, { column: 1, frozen: 1, left: 300, viewWidth: 440 })).toBe(0);
});
