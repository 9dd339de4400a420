import { useEffect, useState } from 'react';
import type { PointerEvent } from 'react';

/** A dragged column and its drop target. */
export interface ColumnDrag {
  name: string;
  /** Index of the column before which it would be dropped. */
  target: number;
  /** Position of the drop line in the header in pixels. */
  x: number;
}

interface HeaderLayout {
  widths: readonly number[];
  frozen: number;
  numberWidth: number;
  onMoveColumn: (name: string, at: number) => void;
}

// A click may move the pointer a little.
const MIN_DRAG_PX = 6;
const AUTO_SCROLL_EDGE_PX = 48;
const AUTO_SCROLL_STEP_PX = 24;

/** The column boundary nearest to a position in the header; the key column stays first. */
export function findDropTarget(
  { widths, frozen, numberWidth }: Omit<HeaderLayout, 'onMoveColumn'>,
  x: number,
  scrolled: number,
): Pick<ColumnDrag, 'target' | 'x'> {
  let left = numberWidth;
  let best: Pick<ColumnDrag, 'target' | 'x'> = { target: 1, x: Number.POSITIVE_INFINITY };
  const frozenEnd = numberWidth + widths.slice(0, frozen).reduce((sum, width) => sum + width, 0) + scrolled;
  for (const [index, width] of widths.entries()) {
    left += width;
    // Frozen columns move with the view; boundaries scrolled under them are no targets.
    const edge = index < frozen ? left + scrolled : left;
    const isVisible = index < frozen || edge >= frozenEnd;
    if (isVisible && Math.abs(edge - x) < Math.abs(best.x - x)) best = { target: index + 1, x: edge };
  }
  return best;
}

/** Moves columns by dragging their headers; Escape cancels. */
export function useColumnDrag({ onMoveColumn, ...measures }: HeaderLayout) {
  const [drag, setDrag] = useState<ColumnDrag>();
  const [start, setStart] = useState<{ name: string; x: number }>();
  const reset = () => {
    setDrag(undefined);
    setStart(undefined);
  };
  // On the window, since the focus may be anywhere while dragging.
  useEffect(() => {
    if (!drag) return undefined;
    const cancelOnEscape = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      event.preventDefault();
      setDrag(undefined);
      setStart(undefined);
    };
    addEventListener('keydown', cancelOnEscape, { capture: true });
    return () => removeEventListener('keydown', cancelOnEscape, { capture: true });
  }, [drag]);

  const onPointerDown = (event: PointerEvent<HTMLElement>, name: string) => {
    if (event.button !== 0 || event.pointerType === 'touch') return;
    setStart({ name, x: event.clientX });
  };
  const onPointerMove = (event: PointerEvent<HTMLElement>) => {
    if (!start) return;
    if (event.buttons === 0) {
      reset();
      return;
    }
    if (!drag && Math.abs(event.clientX - start.x) < MIN_DRAG_PX) return;
    if (!drag) event.currentTarget.setPointerCapture(event.pointerId);
    const scroller = event.currentTarget.closest('.eg-scroll');
    if (!scroller) return;
    const box = scroller.getBoundingClientRect();
    if (event.clientX > box.right - AUTO_SCROLL_EDGE_PX) scroller.scrollLeft += AUTO_SCROLL_STEP_PX;
    else if (event.clientX < box.left + AUTO_SCROLL_EDGE_PX + measures.numberWidth)
      scroller.scrollLeft -= AUTO_SCROLL_STEP_PX;
    const x = event.clientX - box.left + scroller.scrollLeft;
    setDrag({ name: start.name, ...findDropTarget(measures, x, scroller.scrollLeft) });
  };
  const onPointerUp = () => {
    if (drag) onMoveColumn(drag.name, drag.target);
    reset();
  };
  return { drag, onPointerDown, onPointerMove, onPointerUp, onPointerCancel: reset };
}
