/** Browsers stop at 17 to 33 million pixels; a million rows have more. */
const TALLEST = 16_000_000;

// So many rows more than are seen are drawn above and below.
const AROUND = 6;

/** Where the view stands: `top` in the list as it would be, `bar` as the scroll bar of the page says it. */
export interface Place {
  top: number;
  bar: number;
}

export interface Extent {
  /** Height of all rows. */
  height: number;
  /** Height of what is in view. */
  view: number;
}

/** How tall the scrolled element is made. */
export const barHeight = ({ height }: Pick<Extent, 'height'>): number => Math.min(height, TALLEST);

const clamp = (value: number, most: number): number => Math.max(0, Math.min(value, Math.max(0, most)));

/** How much of the list a pixel of the bar stands for. */
function ratioOf({ height, view }: Extent): number {
  const bar = barHeight({ height }) - view;
  return bar <= 0 ? 1 : (height - view) / bar;
}

/**
 * Where the view is after the bar has moved. A turn of the wheel moves the rows by as much as it moves the bar; a jump
 * of the bar goes to the part of the list that it points at.
 */
export function scrolledTo(bar: number, from: Place, extent: Extent): Place {
  const most = extent.height - extent.view;
  const ratio = ratioOf(extent);
  if (ratio === 1) return { top: clamp(bar, most), bar };
  const end = barHeight(extent) - extent.view;
  if (bar <= 0 || bar >= end) return { top: bar <= 0 ? 0 : most, bar };
  const step = bar - from.bar;
  return { top: clamp(Math.abs(step) <= extent.view ? from.top + step : bar * ratio, most), bar };
}

/** Where the bar has to stand to show the list from there. */
export function placeAt(top: number, extent: Extent): Place {
  const at = clamp(top, extent.height - extent.view);
  return { top: at, bar: at / ratioOf(extent) };
}

/** The rows that stand in view, cut-off ones too, and those drawn around them. */
export function rowsAround({ top }: Place, view: number, rowHeight: number, total: number) {
  const inView = Math.max(1, Math.ceil(view / rowHeight));
  const firstSeen = Math.floor(top / rowHeight);
  const lastSeen = Math.min(total - 1, firstSeen + inView);
  return {
    inView,
    firstSeen,
    lastSeen,
    first: Math.max(0, firstSeen - AROUND),
    last: Math.min(total - 1, lastSeen + AROUND),
    /** The last of which something is seen. */
    lastInView: Math.min(total, Math.ceil((top + view) / rowHeight)) - 1,
  };
}

/** The top from which a row is in view as a whole, moving as little as it takes. */
export function topShowing(row: number, rowHeight: number, from: number, view: number): number {
  const start = row * rowHeight;
  if (start < from) return start;
  return start + rowHeight > from + view ? start + rowHeight - view : from;
}
