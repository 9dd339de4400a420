import { useCallback, useRef, useState } from 'react';
import type { PointerEvent } from 'react';

/** Where the drawing stands in its window, and how large. */
interface View {
  x: number;
  y: number;
  scale: number;
}

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

const LEAST = 0.2;
const MOST = 2;
const STEP = 1.25;
const READABLE = 0.85;
const MARGIN = 24;
// A hand that clicks moves a little.
const STILL = 4;

const clamp = (value: number, least: number, most: number) => Math.max(least, Math.min(most, value));

function zoomed(view: View, factor: number, at: { x: number; y: number }): View {
  const scale = clamp(view.scale * factor, LEAST, MOST);
  const ratio = scale / view.scale;
  return { scale, x: at.x - (at.x - view.x) * ratio, y: at.y - (at.y - view.y) * ratio };
}

/** As wide as the window, but neither unreadable nor blown up; from the top. */
const fitted = (window: Element, width: number): View => {
  const scale = clamp(window.clientWidth / width, READABLE, 1);
  return { scale, x: Math.max(0, (window.clientWidth - width * scale) / 2), y: 0 };
};

/** Moves so far that the box is in the window. */
function showing(view: View, box: Box, window: Element): View {
  const along = (at: number, size: number, from: number, room: number) => {
    const start = at * view.scale + from;
    if (start < MARGIN) return from + MARGIN - start;
    return Math.min(from, from + room - MARGIN - start - size * view.scale);
  };
  return {
    ...view,
    x: along(box.x, box.width, view.x, window.clientWidth),
    y: along(box.y, box.height, view.y, window.clientHeight),
  };
}

/** Moving and zooming a drawing: pointer, wheel (with Ctrl or Cmd it zooms), and steps for buttons and keys. */
export function usePanZoom(width: number, first: Box | undefined) {
  const [view, setView] = useState<View>({ x: 0, y: 0, scale: 1 });
  const window = useRef<SVGSVGElement>(null);
  const drag = useRef<{ x: number; y: number; from: View; moved: boolean }>(undefined);

  // React listens to wheels passively: the page would scroll along.
  const attach = useCallback(
    (svg: SVGSVGElement | null) => {
      window.current = svg;
      if (!svg) return undefined;
      const start = fitted(svg, width);
      setView(first ? showing(start, first, svg) : start);
      const turn = (event: WheelEvent) => {
        event.preventDefault();
        const { left, top } = svg.getBoundingClientRect();
        const at = { x: event.clientX - left, y: event.clientY - top };
        setView((now) =>
          event.ctrlKey || event.metaKey
            ? zoomed(now, Math.exp(-event.deltaY / 200), at)
            : { ...now, x: now.x - event.deltaX, y: now.y - event.deltaY },
        );
      };
      svg.addEventListener('wheel', turn, { passive: false });
      return () => svg.removeEventListener('wheel', turn);
    },
    [width, first],
  );

  const zoom = (factor: number) => {
    const svg = window.current;
    if (svg) setView((now) => zoomed(now, factor, { x: svg.clientWidth / 2, y: svg.clientHeight / 2 }));
  };
  const act = (with_: (svg: SVGSVGElement) => (now: View) => View) => {
    if (window.current) setView(with_(window.current));
  };
  return {
    attach,
    transform: `translate(${view.x} ${view.y}) scale(${view.scale})`,
    zoomIn: () => zoom(STEP),
    zoomOut: () => zoom(1 / STEP),
    fit: () => act((svg) => () => fitted(svg, width)),
    show: (box: Box) => act((svg) => (now) => showing(now, box, svg)),
    move: (x: number, y: number) => setView((now) => ({ ...now, x: now.x + x, y: now.y + y })),
    pointer: {
      onPointerDown(event: PointerEvent<SVGSVGElement>) {
        if (event.button === 0)
          drag.current = { x: event.clientX, y: event.clientY, from: view, moved: false };
      },
      onPointerMove(event: PointerEvent<SVGSVGElement>) {
        const held = drag.current;
        if (!held) return;
        const [x, y] = [event.clientX - held.x, event.clientY - held.y];
        if (!held.moved && Math.hypot(x, y) < STILL) return;
        // From now on it is no click: the window takes what would go to the person under it.
        held.moved = true;
        event.currentTarget.setPointerCapture(event.pointerId);
        setView({ ...held.from, x: held.from.x + x, y: held.from.y + y });
      },
      onPointerUp: () => {
        drag.current = undefined;
      },
      onPointerCancel: () => {
        drag.current = undefined;
      },
    },
  };
}
