import { expect, it } from 'vitest';
import { isCodeMissingError } from './code-missing.ts';

it.each([
  ['Failed to fetch dynamically imported module: https://steward.example/assets/Palette-1.js', true],
  ['error loading dynamically imported module: https://steward.example/assets/Palette-1.js', true],
  ['Importing a module script failed.', true],
  ['Unable to preload CSS for /assets/Palette-1.css', true],
  ['Failed to fetch', false],
])('distinguishes code that could not be fetched from failed calls: %s', (message, isMissing) => {
  expect(isCodeMissingError(new TypeError(message))).toBe(isMissing);
});
