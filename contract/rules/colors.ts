/** Colors of sites: the form in which they are stored, and whether white text on them can be read. */

/** A color as "#rrggbb". */
const COLOR_PATTERN = /^#[0-9a-f]{6}$/;

/** Least contrast of text with its background (WCAG 2.2, 1.4.3). */
const MIN_TEXT_CONTRAST = 4.5;

const LUMINANCE_WEIGHTS = [0.2126, 0.7152, 0.0722] as const;

/**
 * Relative luminance of a color (WCAG 2.2), from 0 (black) to 1 (white).
 * @param color "#rrggbb"
 */
function computeLuminance(color: string): number {
  return LUMINANCE_WEIGHTS.reduce((sum, weight, at) => {
    const part = Number.parseInt(color.slice(1 + at * 2, 3 + at * 2), 16) / 255;
    return sum + weight * (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  }, 0);
}

/**
 * Contrast of white text on the color, from 1 to 21 (WCAG 2.2).
 * @param color "#rrggbb"
 */
export const computeContrastWithWhite = (color: string): number => 1.05 / (computeLuminance(color) + 0.05);

/**
 * Checks the color of a site, on which mails and the console print white.
 * @returns what is wrong, to be read after the name of the property; undefined if nothing is
 */
export function validateBrandColor(color: string): string | undefined {
  if (!COLOR_PATTERN.test(color)) return 'must be a color such as #1b4f8a';
  const contrast = computeContrastWithWhite(color);
  if (contrast >= MIN_TEXT_CONTRAST) return undefined;
  // Rounded down, so that 4.49 is not printed as 4.5.
  const shown = Math.floor(contrast * 10) / 10;
  return `is too light: white text on it has a contrast of ${shown.toFixed(1)}, at least ${MIN_TEXT_CONTRAST} is needed`;
}
