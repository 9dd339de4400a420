import { useRef, useState } from 'react';
import type { FocusEvent, KeyboardEvent, MouseEvent, PointerEvent, ReactNode } from 'react';
import './tooltip.css';

const SHOW_AFTER = 500;
const HIDE_AFTER = 120;

/**
 * Words beside a control on hover and on keyboard focus, gone with Escape, and kept while the pointer is on
 * them. It is for the eye only: the control says the same to a screen reader through its name or description.
 * Without a text nothing is shown.
 */
export function Tooltip({ text, children }: { text: ReactNode; children: ReactNode }) {
  const [anchor, setAnchor] = useState<Element | null>(null);
  const timer = useRef<number>(undefined);

  const change = (next: Element | null, delay: number) => {
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => setAnchor(next), delay);
  };
  const enter = (event: PointerEvent) => {
    const control = event.currentTarget.firstElementChild;
    if (event.pointerType !== 'touch') change(control, anchor ? 0 : SHOW_AFTER);
  };
  const focus = (event: FocusEvent) => {
    if (event.target.matches(':focus-visible')) change(event.currentTarget.firstElementChild, 0);
  };
  // A finger has no hover: tapping a control that is off must say why it is off.
  const click = (event: MouseEvent) => {
    const control = event.currentTarget.firstElementChild;
    const off = control?.getAttribute('aria-disabled') === 'true';
    change(off ? control : null, 0);
  };
  const keyDown = (event: KeyboardEvent) => {
    // Where nothing is shown, Escape is for what is around: a dialog closes with it.
    if (event.key !== 'Escape' || !anchor || text === undefined) return;
    event.stopPropagation();
    change(null, 0);
  };

  return (
    <span
      role="presentation"
      className="tip-anchor"
      onPointerEnter={enter}
      onPointerLeave={() => change(null, HIDE_AFTER)}
      onFocus={focus}
      onBlur={() => change(null, 0)}
      onClick={click}
      onKeyDown={keyDown}
    >
      {children}
      {anchor && text !== undefined && (
        <span
          aria-hidden
          popover="manual"
          className="tip"
          ref={(bubble) => {
            bubble?.showPopover();
            if (bubble) place(bubble, anchor, 'center');
          }}
        >
          {text}
        </span>
      )}
    </span>
  );
}

const GAP = 6;
const EDGE = 8;

/** Puts a fixed box under its anchor, or above it when there is no room, inside the window. */
function place(box: HTMLElement, anchor: Element, align: 'start' | 'center' | 'end') {
  const from = anchor.getBoundingClientRect();
  const { width, height } = box.getBoundingClientRect();
  const below = from.bottom + GAP;
  const fits = below + height + EDGE <= innerHeight || from.top < height + GAP + EDGE;
  const left = { start: from.left, center: from.left + (from.width - width) / 2, end: from.right - width }[
    align
  ];
  box.style.top = `${fits ? below : from.top - GAP - height}px`;
  box.style.left = `${Math.max(EDGE, Math.min(left, innerWidth - width - EDGE))}px`;
}
