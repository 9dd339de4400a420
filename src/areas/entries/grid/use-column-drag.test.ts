import { expect, it } from 'vitest';
import { findDropTarget } from './use-column-drag.ts';

const header = { widths: [200, 100, 100, 100], frozen: 2, numberWidth: 50 };

it.each([
  // The key column stays first.
  [0, 0, { target: 1, x: 250 }],
  [390, 0, { target: 2, x: 350 }],
  [410, 0, { target: 3, x: 450 }],
  [900, 0, { target: 4, x: 550 }],
  // Scrolled sideways: frozen columns move along, and columns under them are no targets.
  [440, 80, { target: 2, x: 430 }],
  [445, 80, { target: 3, x: 450 }],
  [460, 120, { target: 2, x: 470 }],
])('finds the drop target at %i in a header scrolled by %i', (x, scrolled, drop) => {
  expect(findDropTarget(header, x, scrolled)).toEqual(drop);
});
