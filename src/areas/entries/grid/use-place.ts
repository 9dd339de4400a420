import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { placeAt, scrolledTo, topShowing } from './scroll.ts';
import type { Place } from './scroll.ts';
import { frozenThatFit, leftShowing } from './spans.ts';

interface Measures {
  rows: number;
  rowHeight: number;
  /** What the header takes of the view. */
  head: number;
  widths: readonly number[];
  frozen: number;
}

interface View extends Place {
  left: number;
  width: number;
  height: number;
}

const START: View = { top: 0, bar: 0, left: 0, width: 1000, height: 600 };

/** What of the grid is in view, and the way to bring a cell into it. */
export function usePlace({ rows, rowHeight, head, widths, frozen: wanted }: Measures) {
  const scroller = useRef<HTMLDivElement>(null);
  const [view, setView] = useState(START);
  const latest = useRef(START);
  const frame = useRef(0);
  const all = rows * rowHeight;
  const frozen = frozenThatFit(widths, wanted, view.width);

  const show = (next: View) => {
    latest.current = next;
    setView(next);
  };
  const extent = () => ({ height: all, view: Math.max(rowHeight, latest.current.height - head) });

  const onScroll = () => {
    cancelAnimationFrame(frame.current);
    frame.current = requestAnimationFrame(() => {
      const box = scroller.current;
      if (!box) return;
      const place = scrolledTo(box.scrollTop, latest.current, extent());
      // Drawn in the frame that scrolls; otherwise it would be one behind, and what is read would begin later.
      flushSync(() => show({ ...latest.current, ...place, left: box.scrollLeft }));
    });
  };

  // The size of the view is known to the browser alone.
  useLayoutEffect(() => {
    const box = scroller.current;
    if (!box) return undefined;
    const measure = () => show({ ...latest.current, width: box.clientWidth, height: box.clientHeight });
    // Known before an address leads to its row, and the observer tells only afterwards.
    if (box.clientHeight > 0) measure();
    const observer = new ResizeObserver(measure);
    observer.observe(box);
    return () => observer.disconnect();
  }, []);
  // Rows of another height: the same ones stay in view.
  const drawnHeight = useRef(rowHeight);
  useLayoutEffect(() => {
    const before = drawnHeight.current;
    drawnHeight.current = rowHeight;
    const box = scroller.current;
    if (!box || before === rowHeight) return;
    const place = placeAt((latest.current.top / before) * rowHeight, extent());
    show({ ...latest.current, ...place });
    box.scrollTop = place.bar;
    // The height alone is what this is about.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [rowHeight]);
  useEffect(() => () => cancelAnimationFrame(frame.current), []);

  /** Brings a cell into view, moving as little as it takes. */
  const reveal = (row: number, column: number) => {
    const box = scroller.current;
    if (!box) return;
    const now = latest.current;
    const visible = extent();
    const top = row < 0 ? now.top : topShowing(row, rowHeight, now.top, visible.view);
    const left = leftShowing(widths, { column, frozen, left: now.left, view: now.width });
    const near = Math.abs(top - now.top) <= visible.view;
    const place = near ? { top, bar: now.bar + top - now.top } : placeAt(top, visible);
    show({ ...now, ...place, left });
    box.scrollTo({ top: place.bar, left });
  };

  return { scroller, view, frozen, onScroll, reveal };
}
