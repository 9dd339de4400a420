import { expect, test } from 'vitest';
import { computeContrastWithWhite, validateBrandColor } from './colors.ts';

test('contrasts are those of WCAG', () => {
  expect(computeContrastWithWhite('#000000')).toBeCloseTo(21, 5);
  expect(computeContrastWithWhite('#ffffff')).toBeCloseTo(1, 5);
  expect(computeContrastWithWhite('#767676')).toBeCloseTo(4.54, 2);
  expect(computeContrastWithWhite('#ff0000')).toBeCloseTo(4, 2);
});

test('a color needs the form #rrggbb and a contrast of 4.5 with white', () => {
  expect(validateBrandColor('#767676')).toBeUndefined();
  expect(validateBrandColor('#777777')).toBe(
    'is too light: white text on it has a contrast of 4.4, at least 4.5 is needed',
  );
  for (const color of ['red', '#FFF', '#12345g', '#1b4f8a;x', ''])
    expect(validateBrandColor(color)).toBe('must be a color such as #1b4f8a');
});
