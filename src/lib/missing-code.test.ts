import { expect, it } from 'vitest';
import { isMissingCode } from './missing-code.ts';

it.each([
  ['Failed to fetch dynamically imported module: https://steward.example/assets/Palette-1.js', true],
  ['error loading dynamically imported module: https://steward.example/assets/Palette-1.js', true],
  ['Importing a module script failed.', true],
  ['Unable to preload CSS for /assets/Palette-1.css', true],
  ['Failed to fetch', false],
])('knows code that could not be fetched from calls that were not answered: %s', (message, isMissing) => {
  expect(isMissingCode(new TypeError(message))).toBe(isMissing);
});
