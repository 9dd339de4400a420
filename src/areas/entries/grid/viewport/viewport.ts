/** Browsers limit elements to 17 to 33 million pixels; the rows of a large list are higher. */
const MAX_ELEMENT_HEIGHT = 16_000_000;

/** Rows rendered above and below the visible ones. */
const OVERSCAN_ROWS = 6;

/** Scroll position: `top` in the list at its full height, `bar` as the scroll bar's `scrollTop`; in pixels. */
export interface ScrollPosition {
  top: number;
  bar: number;
}

export interface ScrollExtent {
  /** Height of all rows. */
  height: number;
  /** Height of the visible part. */
  viewHeight: number;
}

/** Height of the scrolled element. */
export const getScrollHeight = ({ height }: Pick<ScrollExtent, 'height'>): number =>
  Math.min(height, MAX_ELEMENT_HEIGHT);

const clamp = (value: number, max: number): number => Math.max(0, Math.min(value, Math.max(0, max)));

/** Pixels of the list per pixel of the scroll bar. */
function getScrollRatio({ height, viewHeight }: ScrollExtent): number {
  const barRange = getScrollHeight({ height }) - viewHeight;
  return barRange <= 0 ? 1 : (height - viewHeight) / barRange;
}

/**
 * The position after the scroll bar moved. Small movements, as by the wheel, move the rows by the same distance; jumps go
 * to the proportional part of the list.
 */
export function applyScroll(bar: number, from: ScrollPosition, extent: ScrollExtent): ScrollPosition {
  const maxTop = extent.height - extent.viewHeight;
  const ratio = getScrollRatio(extent);
  if (ratio === 1) return { top: clamp(bar, maxTop), bar };
  const maxBar = getScrollHeight(extent) - extent.viewHeight;
  if (bar <= 0 || bar >= maxBar) return { top: bar <= 0 ? 0 : maxTop, bar };
  const step = bar - from.bar;
  return { top: clamp(Math.abs(step) <= extent.viewHeight ? from.top + step : bar * ratio, maxTop), bar };
}

/** The position that shows the list from `top`. */
export function toScrollPosition(top: number, extent: ScrollExtent): ScrollPosition {
  const clampedTop = clamp(top, extent.height - extent.viewHeight);
  return { top: clampedTop, bar: clampedTop / getScrollRatio(extent) };
}

/** Indexes of the visible rows, including partly visible ones, and of the rendered rows around them. */
export function getVisibleRows(
  { top }: ScrollPosition,
  viewHeight: number,
  rowHeight: number,
  total: number,
) {
  const pageRows = Math.max(1, Math.ceil(viewHeight / rowHeight));
  const firstVisible = Math.floor(top / rowHeight);
  const lastVisible = Math.min(total - 1, firstVisible + pageRows);
  return {
    /** Rows that fit into the view. */
    pageRows,
    firstVisible,
    lastVisible,
    first: Math.max(0, firstVisible - OVERSCAN_ROWS),
    last: Math.min(total - 1, lastVisible + OVERSCAN_ROWS),
    /** The last row of which any pixel is visible. */
    lastPartlyVisible: Math.min(total, Math.ceil((top + viewHeight) / rowHeight)) - 1,
  };
}

/** The scroll position nearest to `top` that shows the whole row. */
export function getTopToReveal(row: number, rowHeight: number, top: number, viewHeight: number): number {
  const start = row * rowHeight;
  if (start < top) return start;
  return start + rowHeight > top + viewHeight ? start + rowHeight - viewHeight : top;
}

/** The rendered scrolling columns, besides the frozen ones. */
export interface ColumnWindow {
  first: number;
  /** Index after the last column. */
  end: number;
  /** Width in pixels of the columns before. */
  before: number;
  /** Width in pixels of the columns after. */
  after: number;
}

/** Minimum width in pixels left for scrolling columns. */
const MIN_SCROLLING_WIDTH = 160;

/** Number of columns that can be frozen in a view of this width; at least the key column. */
export function countFittingFrozen(widths: readonly number[], maxFrozen: number, viewWidth: number): number {
  let usedWidth = widths[0] ?? 0;
  let count = 1;
  while (count < Math.min(maxFrozen, widths.length)) {
    usedWidth += widths[count] ?? 0;
    if (usedWidth > viewWidth - MIN_SCROLLING_WIDTH) return count;
    count += 1;
  }
  return count;
}

/** Left offsets of the frozen columns, behind the column of row numbers. */
export function getStickyOffsets(
  columns: readonly { width: number }[],
  numberWidth: number,
): readonly number[] {
  let left = numberWidth;
  return columns.map(({ width }) => {
    left += width;
    return left - width;
  });
}

/** The scrolling columns visible from `left`, and one more on each side. */
export function getColumnWindow(
  widths: readonly number[],
  frozen: number,
  left: number,
  viewWidth: number,
): ColumnWindow {
  const frozenWidth = sumWidths(widths.slice(0, frozen));
  let start = 0;
  let first = frozen;
  let end = widths.length;
  let before = 0;
  for (let index = frozen; index < widths.length; index += 1) {
    const width = widths[index] ?? 0;
    if (start + width <= left) {
      first = index + 1;
      before = start + width;
    } else if (start >= left + viewWidth - frozenWidth && end === widths.length) end = index;
    start += width;
  }
  if (first > frozen) {
    first -= 1;
    before -= widths[first] ?? 0;
  }
  end = Math.min(widths.length, end + 1);
  return { first, end, before, after: sumWidths(widths.slice(end)) };
}

const sumWidths = (widths: readonly number[]): number => widths.reduce((total, width) => total + width, 0);

/** Indexes of the rendered scrolling columns in order: the window, and the focused column outside of it. */
export function getRenderedColumns(
  { first, end }: ColumnWindow,
  focusedColumn: number | undefined,
  frozen: number,
): readonly number[] {
  const indexes = Array.from({ length: Math.max(0, end - first) }, (_, offset) => first + offset);
  if (focusedColumn === undefined || focusedColumn < frozen) return indexes;
  if (focusedColumn >= first && focusedColumn < end) return indexes;
  return focusedColumn < first ? [focusedColumn, ...indexes] : [...indexes, focusedColumn];
}

/** The horizontal scroll position nearest to `left` that shows the whole column. */
export function getLeftToReveal(
  widths: readonly number[],
  { column, frozen, left, viewWidth }: { column: number; frozen: number; left: number; viewWidth: number },
): number {
  if (column < frozen) return left;
  const scrollingWidth = viewWidth - sumWidths(widths.slice(0, frozen));
  const start = sumWidths(widths.slice(frozen, column));
  const end = start + (widths[column] ?? 0);
  if (start < left) return start;
  return end > left + scrollingWidth ? Math.max(0, Math.min(start, end - scrollingWidth)) : left;
}
