/** Geometry of the viewer: sizes in CSS pixels, zoom 1 is the size on paper at 96 pixels an inch. */

export interface Size {
  width: number;
  height: number;
}

export type Rotation = 0 | 90 | 180 | 270;

/** `width` and `page` fit pages into the window; a number is a factor. */
export type Zoom = 'width' | 'page' | number;

/** PDF points are 1/72 inch. */
export const PIXELS_PER_POINT = 96 / 72;
/** Space above, between and below pages. */
const PAGE_GAP = 12;
export const ZOOM_STEPS: readonly number[] = [0.25, 0.5, 0.75, 1, 1.25, 1.5, 2, 3, 4];
/** Pixels of one canvas; larger ones fail in some browsers and cost 4 bytes a pixel. */
const MAX_CANVAS_PIXELS = 2 ** 24;
/** Width and height of a canvas, the smallest limit of the browsers. */
const MAX_CANVAS_SIDE = 16_384;
/** Pages of 14,400 units would otherwise be shown with a fraction of a percent. */
const MIN_ZOOM = 0.02;
/** Narrow windows and small pages: fitting never enlarges more. */
const MAX_FIT_ZOOM = 2;

export const rotateSize = ({ width, height }: Size, rotation: Rotation): Size =>
  rotation % 180 === 0 ? { width, height } : { width: height, height: width };

/** The next quarter turn counterclockwise. */
export function rotateLeft(rotation: Rotation): Rotation {
  const next = { 0: 270, 90: 0, 180: 90, 270: 180 } as const;
  return next[rotation];
}

/**
 * The factor of a zoom.
 * @param page size of the widest page at zoom 1, rotated
 */
export function computeZoomFactor(zoom: Zoom, page: Size, viewport: Size): number {
  if (typeof zoom === 'number') return zoom;
  const byWidth = (viewport.width - 2 * PAGE_GAP) / page.width;
  const byHeight = (viewport.height - 2 * PAGE_GAP) / page.height;
  const factor = zoom === 'width' ? byWidth : Math.min(byWidth, byHeight);
  return Math.min(Math.max(factor, MIN_ZOOM), MAX_FIT_ZOOM);
}

/** The next larger or smaller step; the factor itself beyond the last one. */
export function stepZoom(factor: number, direction: 1 | -1): number {
  // Fitted factors lie between two steps.
  const tolerance = 0.001;
  const next =
    direction === 1
      ? ZOOM_STEPS.find((step) => step > factor + tolerance)
      : ZOOM_STEPS.findLast((step) => step < factor - tolerance);
  return next ?? factor;
}

export interface PageLayout {
  /** Distance of each page from the top of the content. */
  tops: readonly number[];
  sizes: readonly Size[];
  /** Size of the content. */
  width: number;
  height: number;
}

/** Places the pages one below the other. @param sizes sizes at zoom 1, not rotated */
export function layOutPages(sizes: readonly Size[], factor: number, rotation: Rotation): PageLayout {
  const tops: number[] = [];
  const scaled: Size[] = [];
  let top = PAGE_GAP;
  let widest = 0;
  for (const size of sizes) {
    const { width, height } = rotateSize(size, rotation);
    const page = { width: Math.floor(width * factor), height: Math.floor(height * factor) };
    tops.push(top);
    scaled.push(page);
    widest = Math.max(widest, page.width);
    top += page.height + PAGE_GAP;
  }
  return { tops, sizes: scaled, width: widest + 2 * PAGE_GAP, height: top };
}

/** Index of the page at a distance from the top; the gap below a page belongs to it. */
export function findPageAt({ tops }: PageLayout, y: number): number {
  let [low, high] = [0, tops.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((tops[middle] ?? 0) <= y) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The first and last page that are in view, with one more page on either side. */
export function findPagesInView(
  layout: PageLayout,
  top: number,
  height: number,
): [first: number, last: number] {
  const first = findPageAt(layout, top);
  const last = findPageAt(layout, top + height);
  return [Math.max(first - 1, 0), Math.min(last + 1, layout.tops.length - 1)];
}

/** A point of the document that stays in place when the layout changes. */
export interface Anchor {
  page: number;
  /** Part of the height of the page above the point; greater than 1 in the gap. */
  fraction: number;
}

export function findAnchor(layout: PageLayout, y: number): Anchor {
  const page = findPageAt(layout, y);
  return { page, fraction: (y - (layout.tops[page] ?? 0)) / (layout.sizes[page]?.height ?? 1) };
}

export const findAnchorTop = (layout: PageLayout, { page, fraction }: Anchor): number =>
  (layout.tops[page] ?? 0) + fraction * (layout.sizes[page]?.height ?? 0);

/** Canvas pixels for a CSS pixel: those of the screen, fewer where the canvas would be too large. */
export function limitPixelRatio({ width, height }: Size, pixelRatio: number): number {
  const byArea = Math.sqrt(MAX_CANVAS_PIXELS / (width * height));
  const bySide = MAX_CANVAS_SIDE / Math.max(width, height);
  return Math.min(pixelRatio, byArea, bySide);
}
