import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import {
  applyScroll,
  countFittingFrozen,
  getLeftToReveal,
  getTopToReveal,
  toScrollPosition,
} from './viewport.ts';
import type { ScrollPosition } from './viewport.ts';

interface ViewportOptions {
  /** Number of rows. */
  rows: number;
  rowHeight: number;
  /** Height of the header, which covers the top of the view. */
  headHeight: number;
  widths: readonly number[];
  /** Number of columns to freeze if the view is wide enough. */
  maxFrozen: number;
}

interface Viewport extends ScrollPosition {
  left: number;
  width: number;
  height: number;
}

const INITIAL_VIEWPORT: Viewport = { top: 0, bar: 0, left: 0, width: 1000, height: 600 };

/** The visible part of the grid, and scrolling a cell into it. */
export function useViewport({ rows, rowHeight, headHeight, widths, maxFrozen }: ViewportOptions) {
  const scroller = useRef<HTMLDivElement>(null);
  const [viewport, setViewport] = useState(INITIAL_VIEWPORT);
  const latest = useRef(INITIAL_VIEWPORT);
  const frame = useRef(0);
  const height = rows * rowHeight;
  const frozen = countFittingFrozen(widths, maxFrozen, viewport.width);

  const update = (next: Viewport) => {
    latest.current = next;
    setViewport(next);
  };
  const getExtent = () => ({ height, viewHeight: Math.max(rowHeight, latest.current.height - headHeight) });

  const onScroll = () => {
    cancelAnimationFrame(frame.current);
    frame.current = requestAnimationFrame(() => {
      const element = scroller.current;
      if (!element) return;
      const position = applyScroll(element.scrollTop, latest.current, getExtent());
      // Rendered in the same frame as the scroll: otherwise rows lag one frame behind and loading starts later.
      flushSync(() => update({ ...latest.current, ...position, left: element.scrollLeft }));
    });
  };

  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return undefined;
    const measure = () =>
      update({ ...latest.current, width: element.clientWidth, height: element.clientHeight });
    // Measured at once, since the observer reports only after the target of the URL is scrolled to.
    if (element.clientHeight > 0) measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  // When the row height changes, the same rows stay visible.
  const lastRowHeight = useRef(rowHeight);
  useLayoutEffect(() => {
    const before = lastRowHeight.current;
    lastRowHeight.current = rowHeight;
    const element = scroller.current;
    if (!element || before === rowHeight) return;
    const position = toScrollPosition((latest.current.top / before) * rowHeight, getExtent());
    update({ ...latest.current, ...position });
    element.scrollTop = position.bar;
    // oxlint-disable-next-line react/exhaustive-deps -- runs only when the row height changes
  }, [rowHeight]);
  useEffect(() => () => cancelAnimationFrame(frame.current), []);

  /** Scrolls a cell into view by the smallest distance. */
  const reveal = (row: number, column: number) => {
    const element = scroller.current;
    if (!element) return;
    const before = latest.current;
    const extent = getExtent();
    const top = row < 0 ? before.top : getTopToReveal(row, rowHeight, before.top, extent.viewHeight);
    const left = getLeftToReveal(widths, { column, frozen, left: before.left, viewWidth: before.width });
    const isNear = Math.abs(top - before.top) <= extent.viewHeight;
    const position = isNear ? { top, bar: before.bar + top - before.top } : toScrollPosition(top, extent);
    update({ ...before, ...position, left });
    element.scrollTo({ top: position.bar, left });
  };

  return { scroller, viewport, frozen, onScroll, reveal };
}
