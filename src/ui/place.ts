const GAP = 6;
const EDGE = 8;

/** Puts a fixed box under its anchor, or above it when there is no room, inside the window. */
export function place(box: HTMLElement, anchor: Element, align: 'start' | 'center' | 'end') {
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
