import { imageSize } from 'image-size';
import type { StoredLogo } from './brand.store.ts';

/** Upper bound of a logo in bytes: every mail carries it. */
export const MAX_LOGO_BYTES = 65_536;
/** Upper bound of each side in pixels. */
const MAX_LOGO_SIDE = 2_000;

/** Formats that browsers and mail programs show and that cannot contain scripts, as SVG can. */
const MEDIA_TYPES: Readonly<Record<string, StoredLogo['type']>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  webp: 'image/webp',
};

/**
 * Checks a logo by its content; the name and type that a client states are not asked for.
 * @returns the logo, or what is wrong, to be read after the name of the property
 */
export function readLogo(base64: string): StoredLogo | string {
  const content = Buffer.from(base64, 'base64');
  if (content.length > MAX_LOGO_BYTES)
    return `has ${content.length} bytes; at most ${MAX_LOGO_BYTES} are allowed`;
  const size = measure(content);
  const type = MEDIA_TYPES[size?.type ?? ''];
  if (!size || type === undefined) return 'must be a PNG, JPEG or WebP picture';
  const { width, height } = size;
  if (width < 1 || height < 1 || width > MAX_LOGO_SIDE || height > MAX_LOGO_SIDE)
    return `is ${width} by ${height} pixels; each side may have 1 to ${MAX_LOGO_SIDE}`;
  return { content, type, width, height };
}

function measure(content: Buffer): ReturnType<typeof imageSize> | undefined {
  try {
    return imageSize(content);
  } catch {
    return undefined;
  }
}
