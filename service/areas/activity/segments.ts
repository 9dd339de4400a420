import type { Page } from '../../kernel/db/list-page.ts';

/** Cells begin at whole multiples of their width from here (migrations/0005_activity.ts). */
const ORIGIN = Date.UTC(2000, 0, 3);

/** From a moment on and before another; without an end: up to the newest row. */
export interface Span {
  from: Date;
  to: Date | undefined;
}

/** The beginning of the cell in which a moment lies. */
export const floorTo = (moment: Date, widthMs: number): Date =>
  new Date(ORIGIN + Math.floor((moment.getTime() - ORIGIN) / widthMs) * widthMs);

/** A span as the whole cells in it, where there are any, and what is left of cells at its edges. */
export function cut(
  { from, to }: Span,
  widthMs: number,
): { whole: Span | undefined; edges: { from: Date; to: Date }[] } {
  const first = floorTo(new Date(from.getTime() + widthMs - 1), widthMs);
  if (to && first > to) return { whole: undefined, edges: [{ from, to }] };
  const last = to && floorTo(to, widthMs);
  const edges = [{ from, to: first }, ...(to && last ? [{ from: last, to }] : [])].filter(
    (edge) => edge.from < edge.to,
  );
  return { whole: last && last <= first ? undefined : { from: first, to: last }, edges };
}

/** A stretch of time of the report with the number of rows that fit in it. */
export interface Segment {
  from: Date;
  to: Date;
  n: number;
}

/** Where the rows of a page lie: so many of the newest in this stretch are passed over. */
export interface Place extends Span {
  skip: number;
  /** So many rows fit in the stretch. */
  n: number;
}

/**
 * The stretch in which the page lies, found by counts alone: what page 1,000 costs does not depend on the 999 before
 * it. Segments are given newest first; undefined beyond the last row.
 */
export function placeOf(segments: readonly Segment[], { offset, limit }: Page): Place | undefined {
  let passed = 0;
  let place: Place | undefined;
  for (const { from, to, n } of segments) {
    if (n > 0 && passed + n > offset)
      place = { to, skip: offset - passed, ...place, from, n: (place?.n ?? 0) + n };
    passed += n;
    if (place && passed >= offset + limit) break;
  }
  return place;
}
