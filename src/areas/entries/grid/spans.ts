/** Which columns stand in view, besides those that stay at the side. */
export interface Span {
  first: number;
  /** The one after the last. */
  end: number;
  /** Width of those left out before. */
  before: number;
  after: number;
}

// What scrolls under the columns that stay must be wide enough to read a value.
const LEAST_ROOM = 160;

/** How many columns stay at the side of a view that wide; the one with the name does in any. */
export function frozenThatFit(widths: readonly number[], wanted: number, view: number): number {
  let taken = widths[0] ?? 0;
  let fitting = 1;
  while (fitting < Math.min(wanted, widths.length)) {
    taken += widths[fitting] ?? 0;
    if (taken > view - LEAST_ROOM) return fitting;
    fitting += 1;
  }
  return fitting;
}

/** Where the columns that stay stand, behind the numbers of the rows. */
export function placesOf(columns: readonly { width: number }[], numberWidth: number): readonly number[] {
  let left = numberWidth;
  return columns.map(({ width }) => {
    left += width;
    return left - width;
  });
}

/** The columns that a view from `left` shows, and one more on both sides; the frozen ones always are there. */
export function spanOf(widths: readonly number[], frozen: number, left: number, view: number): Span {
  const still = widths.slice(0, frozen).reduce((sum, width) => sum + width, 0);
  let start = 0;
  let first = frozen;
  let end = widths.length;
  let before = 0;
  let after = 0;
  for (let at = frozen; at < widths.length; at += 1) {
    const width = widths[at] ?? 0;
    if (start + width <= left) {
      first = at + 1;
      before = start + width;
    } else if (start >= left + view - still && end === widths.length) end = at;
    start += width;
  }
  if (first > frozen) {
    first -= 1;
    before -= widths[first] ?? 0;
  }
  end = Math.min(widths.length, end + 1);
  for (let at = end; at < widths.length; at += 1) after += widths[at] ?? 0;
  return { first, end, before, after };
}

/** The columns that are drawn of those that scroll, in their order: what is in view, and one that is kept besides. */
export function drawnIn({ first, end }: Span, kept: number | undefined, frozen: number): readonly number[] {
  const inView = Array.from({ length: Math.max(0, end - first) }, (_, at) => first + at);
  if (kept === undefined || kept < frozen || (kept >= first && kept < end)) return inView;
  return kept < first ? [kept, ...inView] : [...inView, kept];
}

/** How far the view has to move sideways to show a column as a whole. */
export function leftShowing(
  widths: readonly number[],
  { column, frozen, left, view }: { column: number; frozen: number; left: number; view: number },
): number {
  if (column < frozen) return left;
  const sum = (from: number, to: number) => widths.slice(from, to).reduce((all, width) => all + width, 0);
  const room = view - sum(0, frozen);
  const start = sum(frozen, column);
  const end = start + (widths[column] ?? 0);
  if (start < left) return start;
  return end > left + room ? Math.max(0, Math.min(start, end - room)) : left;
}
