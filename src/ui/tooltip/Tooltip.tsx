import { useRef, useState } from 'react';
import type { FocusEvent, KeyboardEvent, MouseEvent, PointerEvent, ReactNode } from 'react';
import './tooltip.css';

const SHOW_DELAY_MS = 500;
const HIDE_DELAY_MS = 120;

/**
 * Tooltip of a control: shown on hover and keyboard focus, closed by Escape, and kept open while the pointer is on it.
 * Visual only (`aria-hidden`): the control has the same text as its name or description. Not shown without a text.
 *
 * Not React Aria's tooltip, because buttons of the first load have one: its component adds 60 KiB (gzip) to the users
 * list, its hooks 9 KiB to the first load. The popover is in the top layer, above modal dialogs.
 */
export function Tooltip({ text, children }: { text: ReactNode; children: ReactNode }) {
  const [anchor, setAnchor] = useState<Element | null>(null);
  const timer = useRef<number>(undefined);

  const changeAnchor = (next: Element | null, delayMs: number) => {
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => setAnchor(next), delayMs);
  };
  const handlePointerEnter = (event: PointerEvent) => {
    const control = event.currentTarget.firstElementChild;
    if (event.pointerType !== 'touch') changeAnchor(control, anchor ? 0 : SHOW_DELAY_MS);
  };
  const handleFocus = (event: FocusEvent) => {
    if (event.target.matches(':focus-visible')) changeAnchor(event.currentTarget.firstElementChild, 0);
  };
  // Touch has no hover: a tap on a disabled control shows the reason.
  const handleClick = (event: MouseEvent) => {
    const control = event.currentTarget.firstElementChild;
    const isDisabled = control?.getAttribute('aria-disabled') === 'true';
    changeAnchor(isDisabled ? control : null, 0);
  };
  const handleKeyDown = (event: KeyboardEvent) => {
    // Without an open tooltip, Escape belongs to the surrounding dialog.
    if (event.key !== 'Escape' || !anchor || text === undefined) return;
    event.stopPropagation();
    changeAnchor(null, 0);
  };

  return (
    <span
      role="presentation"
      className="tip-anchor"
      onPointerEnter={handlePointerEnter}
      onPointerLeave={() => changeAnchor(null, HIDE_DELAY_MS)}
      onFocus={handleFocus}
      onBlur={() => changeAnchor(null, 0)}
      onClick={handleClick}
      onKeyDown={handleKeyDown}
    >
      {children}
      {anchor && text !== undefined && (
        <span
          aria-hidden
          popover="manual"
          className="tip"
          ref={(bubble) => {
            bubble?.showPopover();
            if (bubble) placeBubble(bubble, anchor);
          }}
        >
          {text}
        </span>
      )}
    </span>
  );
}

const ANCHOR_GAP_PX = 6;
const WINDOW_EDGE_PX = 8;

/**
 * Places the bubble below its anchor, or above if there is no space, centered and within the window. In a row of a table it is on the
 * left, because it would cover the same button of the next row and take its clicks.
 */
function placeBubble(bubble: HTMLElement, anchor: Element) {
  const { top, bottom, left, width: anchorWidth } = anchor.getBoundingClientRect();
  const { width, height } = bubble.getBoundingClientRect();
  const beside = left - ANCHOR_GAP_PX - width;
  if (anchor.closest('tr') && beside >= WINDOW_EDGE_PX) {
    bubble.style.top = `${(top + bottom - height) / 2}px`;
    bubble.style.left = `${beside}px`;
    return;
  }
  const below = bottom + ANCHOR_GAP_PX;
  const above = top - ANCHOR_GAP_PX - height;
  const fitsBelow = below + height + WINDOW_EDGE_PX <= innerHeight || above < WINDOW_EDGE_PX;
  const centered = left + (anchorWidth - width) / 2;
  bubble.style.top = `${fitsBelow ? below : above}px`;
  bubble.style.left = `${Math.max(WINDOW_EDGE_PX, Math.min(centered, innerWidth - width - WINDOW_EDGE_PX))}px`;
}
