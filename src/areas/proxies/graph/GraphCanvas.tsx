import { Maximize, ShieldOff, ZoomIn, ZoomOut } from 'lucide-react';
import { useMemo, useState, useCallback, useRef } from 'react';
import type { KeyboardEvent, PointerEvent } from 'react';
import { count, counted } from '../../../lib/numbers.ts';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { cx } from '../../../ui/cx.ts';
import { isCyclic, marksOf } from '../model/delegations.ts';
import type { Delegations, States } from '../model/delegations.ts';
import { NODE } from './graph-layout.ts';
import type { GraphLayout } from './graph-layout.ts';
import { GraphNode } from './GraphNode.tsx';

interface GraphCanvasProps {
  layout: GraphLayout;
  delegations: Delegations;
  states: States;
  /** Whom the page is about. */
  chosen: number | undefined;
}

const PAN = 80;
const PANS: Record<string, [number, number]> = {
  ArrowLeft: [PAN, 0],
  ArrowRight: [-PAN, 0],
  ArrowUp: [0, PAN],
  ArrowDown: [0, -PAN],
};
const STEPS: Record<string, (at: number, last: number) => number> = {
  ArrowDown: (at) => at + 1,
  ArrowRight: (at) => at + 1,
  ArrowUp: (at) => at - 1,
  ArrowLeft: (at) => at - 1,
  Home: () => 0,
  End: (_, last) => last,
};

/** The drawing: people as boxes, proxies left of those they act for. The table beside it says the same. */
export function GraphCanvas({ layout, delegations, states, chosen }: GraphCanvasProps) {
  const { nodes, edges, left } = layout;
  const first = useMemo(() => boxOf(nodes.find(({ id }) => id === chosen)), [nodes, chosen]);
  const { attach, transform, zoomIn, zoomOut, fit, show, move, pointer } = usePanZoom(layout.width, first);
  const [current, setCurrent] = useState(chosen);
  const stop = nodes.some(({ id }) => id === current) ? current : nodes[0]?.id;

  const press = (event: KeyboardEvent<SVGSVGElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const pan = event.shiftKey ? PANS[event.key] : undefined;
    const step = STEPS[event.key];
    const zoom = { '+': zoomIn, '=': zoomIn, '-': zoomOut, '0': fit }[event.key];
    if (pan) move(...pan);
    else if (zoom) zoom();
    else if (step) {
      const at = nodes.findIndex(({ id }) => id === stop);
      const next = nodes[Math.max(0, Math.min(nodes.length - 1, step(at, nodes.length - 1)))];
      event.currentTarget.querySelector<SVGElement>(`[data-person="${next?.id}"]`)?.focus();
    } else return;
    event.preventDefault();
  };

  return (
    <figure className="graph" aria-label="Graph of assignments">
      {/* Its people are links, and the keys move between them; HTML's groups are none inside a drawing. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <svg
        ref={attach}
        className="graph-window"
        // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role
        role="group"
        aria-label={`${counted(nodes.length, 'person', 'people')}, proxies left of those they act for`}
        aria-describedby="graph-keys"
        onKeyDown={press}
        {...pointer}
      >
        <defs>
          <Arrow id="graph-arrow" />
          <Arrow id="graph-arrow-cycle" />
        </defs>
        <g transform={transform}>
          {edges.map((edge) => {
            const cyclic = isCyclic(delegations, edge);
            const near = edge.proxyUserId === chosen || edge.userId === chosen;
            return (
              <path
                key={`${edge.proxyUserId} ${edge.userId}`}
                className={cx('graph-edge', cyclic && 'graph-edge-cycle', near && 'graph-edge-near')}
                d={edge.line}
                markerEnd={`url(#graph-arrow${cyclic ? '-cycle' : ''})`}
              />
            );
          })}
          {nodes.map((node) => (
            <GraphNode
              key={node.id}
              {...node}
              name={delegations.people.get(node.id)?.fullName ?? String(node.id)}
              marks={marksOf(node.id, delegations, states)}
              users={delegations.usersOf.get(node.id)?.length ?? 0}
              proxies={delegations.proxiesOf.get(node.id)?.length ?? 0}
              current={node.id === stop}
              chosen={node.id === chosen}
              onFocus={() => {
                setCurrent(node.id);
                const box = boxOf(node);
                if (box) show(box);
              }}
            />
          ))}
        </g>
      </svg>
      <figcaption className="graph-legend">
        {left > 0 && (
          <strong>
            Drawn: {count(nodes.length)} of {count(nodes.length + left)} people. The table has all of them.
          </strong>
        )}
        <span className="graph-sign graph-sign-cycle">In a cycle, dashed line</span>
        <span className="graph-sign graph-sign-inactive">Inactive</span>
        <span className="graph-sign graph-sign-shield">
          <ShieldOff />
          No two-factor
        </span>
        <span id="graph-keys">
          Drag to move, Ctrl and wheel to zoom. Keys: arrows from person to person, + − 0 zoom, Shift and
          arrows move.
        </span>
        <span className="graph-tools">
          <IconButton label="Zoom in" icon={ZoomIn} onClick={zoomIn} />
          <IconButton label="Zoom out" icon={ZoomOut} onClick={zoomOut} />
          <IconButton label="Fit to width" icon={Maximize} onClick={fit} />
        </span>
      </figcaption>
    </figure>
  );
}

const boxOf = (node: { x: number; y: number } | undefined) => node && { x: node.x, y: node.y, ...NODE };

function Arrow({ id }: { id: string }) {
  return (
    <marker
      id={id}
      viewBox="0 0 8 8"
      refX="3"
      refY="4"
      markerWidth="8"
      markerHeight="8"
      markerUnits="userSpaceOnUse"
      orient="auto"
    >
      <path d="M0 0L8 4L0 8Z" />
    </marker>
  );
}

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
function usePanZoom(width: number, first: Box | undefined) {
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
