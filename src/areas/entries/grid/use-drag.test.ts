import { expect, it } from 'vitest';
import { dropAt } from './use-drag.ts';

const head = { widths: [200, 100, 100, 100], frozen: 2, numberWidth: 50 };

it.each([
  // Before the second column nothing but the key: it stays the first.
  [0, 0, { to: 1, x: 250 }],
  [390, 0, { to: 2, x: 350 }],
  [410, 0, { to: 3, x: 450 }],
  [900, 0, { to: 4, x: 550 }],
  // Scrolled sideways: those that stay have moved along, and what is under them takes nothing.
  [440, 80, { to: 2, x: 430 }],
  [445, 80, { to: 3, x: 450 }],
  [460, 120, { to: 2, x: 470 }],
])('a column drawn to %i in a header scrolled by %i is dropped at the nearest edge', (x, scrolled, drop) => {
  expect(dropAt(head, x, scrolled)).toEqual(drop);
});
