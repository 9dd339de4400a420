import type { Page } from '../../kernel/db/list-page.ts';

/** Origin of all cells: they begin at multiples of their width from here (migrations/0005_activity.ts). */
const CELL_ORIGIN_MS = Date.UTC(2000, 0, 3);

/** Period from `from` (inclusive) to `to` (exclusive); without `to`, up to the newest row. */
export interface Span {
  from: Date;
  to: Date | undefined;
}

/** Start of the cell that contains a time. */
export const getCellStart = (moment: Date, widthMs: number): Date =>
  new Date(CELL_ORIGIN_MS + Math.floor((moment.getTime() - CELL_ORIGIN_MS) / widthMs) * widthMs);

/** Splits a span into its whole cells, if any, and the parts of cells at its edges. */
export function splitSpan(
  { from, to }: Span,
  widthMs: number,
): { wholeCells: Span | undefined; edges: { from: Date; to: Date }[] } {
  const firstStart = getCellStart(new Date(from.getTime() + widthMs - 1), widthMs);
  if (to && firstStart > to) return { wholeCells: undefined, edges: [{ from, to }] };
  const lastStart = to && getCellStart(to, widthMs);
  const edges = [{ from, to: firstStart }, ...(to && lastStart ? [{ from: lastStart, to }] : [])].filter(
    (edge) => edge.from < edge.to,
  );
  return {
    wholeCells: lastStart && lastStart <= firstStart ? undefined : { from: firstStart, to: lastStart },
    edges,
  };
}

/** A span as cells, with the rows to add to their counts and those to subtract from them. */
export interface CellSum {
  cells: Span | undefined;
  added: Span[];
  subtracted: Span[];
}

/**
 * Splits a span so that few rows are read: a cell of which more than half lies within the span is counted as a whole, without the rows of
 * the rest.
 */
export function splitSpanCheaply(span: Span, widthMs: number): CellSum {
  const { wholeCells, edges } = splitSpan(span, widthMs);
  const sum: CellSum = { cells: wholeCells, added: [], subtracted: [] };
  for (const edge of edges) {
    const start = getCellStart(edge.from, widthMs);
    const end = new Date(start.getTime() + widthMs);
    if (edge.to.getTime() - edge.from.getTime() <= widthMs / 2) {
      sum.added.push(edge);
      continue;
    }
    const isBeforeCells = edge.to.getTime() === end.getTime();
    sum.cells = isBeforeCells
      ? { from: start, to: sum.cells ? sum.cells.to : end }
      : { from: sum.cells?.from ?? start, to: end };
    const rest = [
      { from: start, to: edge.from },
      { from: edge.to, to: end },
    ];
    sum.subtracted.push(...rest.filter(({ from, to }) => from < to));
  }
  return sum;
}

/** Part of the report's period with its number of matching rows. */
export interface Segment {
  from: Date;
  to: Date;
  count: number;
}

/** Location of a page in the report: a span, and the number of its newest rows to skip. */
export interface PageLocation extends Span {
  skip: number;
  /** Number of matching rows in the span. */
  count: number;
}

/**
 * Finds the span of a page from counts alone, so the cost of page 1,000 does not depend on the 999 before it. Segments
 * are ordered newest first; undefined beyond the last row.
 */
export function locatePage(segments: readonly Segment[], { offset, limit }: Page): PageLocation | undefined {
  let passed = 0;
  let location: PageLocation | undefined;
  for (const { from, to, count } of segments) {
    if (count > 0 && passed + count > offset)
      location = { to, skip: offset - passed, ...location, from, count: (location?.count ?? 0) + count };
    passed += count;
    if (location && passed >= offset + limit) break;
  }
  return location;
}
