import { assert, integer, property } from 'fast-check';
import { expect, it } from 'vitest';
import { movedBy } from './keys.ts';
import { barHeight, placeAt, scrolledTo, topShowing } from './scroll.ts';
import { leftShowing, spanOf } from './spans.ts';

const million = { height: 1_000_000 * 36, view: 700 };

it('has a bar that browsers can draw, and reaches the last row with it', () => {
  expect(barHeight(million)).toBeLessThan(17_000_000);
  const end = barHeight(million) - million.view;
  expect(scrolledTo(end, { top: 0, bar: 0 }, million).top).toBe(million.height - million.view);
  expect(scrolledTo(0, { top: 5000, bar: 2000 }, million).top).toBe(0);
});

it('moves rows by as much as the wheel moves the bar, and jumps where the bar jumps', () => {
  const from = placeAt(18_000_000, million);
  expect(scrolledTo(from.bar + 100, from, million).top).toBeCloseTo(18_000_100);
  const half = (barHeight(million) - million.view) / 2;
  expect(scrolledTo(half, { top: 0, bar: 0 }, million).top).toBeCloseTo((million.height - million.view) / 2);
});

it('is the plain scroll of the browser where everything fits', () => {
  const small = { height: 5000, view: 500 };
  expect(barHeight(small)).toBe(5000);
  expect(scrolledTo(1234, { top: 0, bar: 0 }, small)).toEqual({ top: 1234, bar: 1234 });
});

it('stands where it was put, wherever that is', () => {
  assert(
    property(integer({ min: 0, max: million.height - million.view }), (top) => {
      const place = placeAt(top, million);
      expect(scrolledTo(place.bar, { top: 0, bar: 0 }, million).top).toBeCloseTo(top, -2);
    }),
  );
});

it('moves as little as a row takes to be in view', () => {
  expect(topShowing(3, 36, 0, 360)).toBe(0);
  expect(topShowing(10, 36, 0, 360)).toBe(36);
  expect(topShowing(0, 36, 720, 360)).toBe(0);
});

it('draws the columns in view and one beside them, and all of the width', () => {
  const widths = [240, ...Array.from({ length: 199 }, () => 100)];
  const span = spanOf(widths, 1, 1050, 840);
  expect([span.first, span.end]).toEqual([10, 19]);
  const drawn = widths.slice(span.first, span.end).reduce((sum, one) => sum + one, 0);
  expect(span.before + drawn + span.after).toBe(19_900);
  expect(spanOf(widths, 1, 0, 840)).toMatchObject({ first: 1, before: 0 });
  expect(spanOf(widths, 1, 19_300, 840).end).toBe(200);
});

it('moves sideways until a column is in view as a whole', () => {
  const widths = [240, 100, 100, 100, 100, 100];
  expect(leftShowing(widths, { column: 0, frozen: 1, left: 50, view: 440 })).toBe(50);
  expect(leftShowing(widths, { column: 4, frozen: 1, left: 0, view: 440 })).toBe(200);
  expect(leftShowing(widths, { column: 1, frozen: 1, left: 300, view: 440 })).toBe(0);
});

it('goes from cell to cell by the keys of a grid', () => {
  const bounds = { rows: 100, columns: 5, page: 10 };
  const press = (key: string, ctrlKey = false) =>
    movedBy({ key, ctrlKey, metaKey: false }, { row: 20, column: 2 }, bounds);
  expect(press('ArrowDown')).toEqual({ row: 21, column: 2 });
  expect(press('PageUp')).toEqual({ row: 10, column: 2 });
  expect(press('End')).toEqual({ row: 20, column: 4 });
  expect(press('End', true)).toEqual({ row: 99, column: 4 });
  expect(press('Home', true)).toEqual({ row: 0, column: 0 });
  expect(press('a')).toBeUndefined();
  expect(movedBy({ key: 'ArrowUp', ctrlKey: false, metaKey: false }, { row: 0, column: 1 }, bounds)).toEqual({
    row: -1,
    column: 1,
  });
});
