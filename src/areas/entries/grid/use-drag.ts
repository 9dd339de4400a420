import { useEffect, useState } from 'react';
import type { PointerEvent } from 'react';

/** A column on its way, and where it would be dropped. */
export interface Drag {
  name: string;
  /** The place before which it would stand. */
  to: number;
  /** Where the line of that stands in the header, from its left edge. */
  x: number;
}

interface Measures {
  widths: readonly number[];
  frozen: number;
  numberWidth: number;
  onPlace: (name: string, at: number) => void;
}

// A click moves a pointer too.
const LEAST = 6;
const EDGE = 48;
const STEP = 24;

/** The boundary between columns that is nearest to a place in the header; the key is passed by nothing. */
export function dropAt(
  { widths, frozen, numberWidth }: Omit<Measures, 'onPlace'>,
  x: number,
  scrolled: number,
): Pick<Drag, 'to' | 'x'> {
  let left = numberWidth;
  let best: Pick<Drag, 'to' | 'x'> = { to: 1, x: Number.POSITIVE_INFINITY };
  const still = numberWidth + widths.slice(0, frozen).reduce((sum, width) => sum + width, 0) + scrolled;
  for (const [at, width] of widths.entries()) {
    left += width;
    // Those that stay move along with the view; what scrolls under them is nowhere.
    const edge = at < frozen ? left + scrolled : left;
    const isSeen = at < frozen || edge >= still;
    if (isSeen && Math.abs(edge - x) < Math.abs(best.x - x)) best = { to: at + 1, x: edge };
  }
  return best;
}

/** Columns that are drawn elsewhere by their heads with a pointer; Escape leaves them where they are. */
export function useDrag({ onPlace, ...measures }: Measures) {
  const [drag, setDrag] = useState<Drag>();
  const [from, setFrom] = useState<{ name: string; x: number }>();
  const end = () => {
    setDrag(undefined);
    setFrom(undefined);
  };
  // Wherever the focus is while a pointer draws.
  useEffect(() => {
    if (!drag) return undefined;
    const keyed = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      event.preventDefault();
      setDrag(undefined);
      setFrom(undefined);
    };
    addEventListener('keydown', keyed, { capture: true });
    return () => removeEventListener('keydown', keyed, { capture: true });
  }, [drag]);

  const onPointerDown = (event: PointerEvent<HTMLElement>, name: string) => {
    if (event.button !== 0 || event.pointerType === 'touch') return;
    setFrom({ name, x: event.clientX });
  };
  const onPointerMove = (event: PointerEvent<HTMLElement>) => {
    if (!from) return;
    if (event.buttons === 0) {
      end();
      return;
    }
    if (!drag && Math.abs(event.clientX - from.x) < LEAST) return;
    if (!drag) event.currentTarget.setPointerCapture(event.pointerId);
    const scroller = event.currentTarget.closest('.eg-scroll');
    if (!scroller) return;
    const box = scroller.getBoundingClientRect();
    if (event.clientX > box.right - EDGE) scroller.scrollLeft += STEP;
    else if (event.clientX < box.left + EDGE + measures.numberWidth) scroller.scrollLeft -= STEP;
    const x = event.clientX - box.left + scroller.scrollLeft;
    setDrag({ name: from.name, ...dropAt(measures, x, scroller.scrollLeft) });
  };
  const onPointerUp = () => {
    if (drag) onPlace(drag.name, drag.to);
    end();
  };
  return { drag, onPointerDown, onPointerMove, onPointerUp, onPointerCancel: end };
}
