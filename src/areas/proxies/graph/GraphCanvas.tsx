import { Link } from '@tanstack/react-router';
import { Maximize, ShieldOff, ZoomIn, ZoomOut } from 'lucide-react';
import { useMemo, useState, useCallback, useRef } from 'react';
import type { KeyboardEvent, PointerEvent } from 'react';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { cx } from '../../../ui/cx.ts';
import { formatWarnings, getPersonWarnings, isPartOfCycle, isSelfAssigned } from '../model/assignments.ts';
import type { Assignments, PersonStates } from '../model/assignments.ts';
import type { Warning } from '../model/view.ts';
import { NODE_SIZE } from './graph-layout.ts';
import type { GraphLayout } from './graph-layout.ts';

interface GraphCanvasProps {
  layout: GraphLayout;
  assignments: Assignments;
  states: PersonStates;
  /** User whose panel is open or whose component is drawn; the first one in view. */
  selectedUserId: number | undefined;
}

const PAN_STEP_PX = 80;
const PAN_BY_KEY: Record<string, [number, number]> = {
  ArrowLeft: [PAN_STEP_PX, 0],
  ArrowRight: [-PAN_STEP_PX, 0],
  ArrowUp: [0, PAN_STEP_PX],
  ArrowDown: [0, -PAN_STEP_PX],
};
const MOVE_BY_KEY: Record<string, (index: number, last: number) => number> = {
  ArrowDown: (index) => index + 1,
  ArrowRight: (index) => index + 1,
  ArrowUp: (index) => index - 1,
  ArrowLeft: (index) => index - 1,
  Home: () => 0,
  End: (_, last) => last,
};

/** Drawing of the assignments: people are boxes, proxies are left of the users they act for. The table beside it has the same content. */
export function GraphCanvas({ layout, assignments, states, selectedUserId }: GraphCanvasProps) {
  const { nodes, edges, omittedCount } = layout;
  const initialBox = useMemo(
    () => getNodeBox(nodes.find(({ id }) => id === selectedUserId)),
    [nodes, selectedUserId],
  );
  const { attach, transform, zoomIn, zoomOut, fit, show, move, pointer } = usePanZoom(
    layout.width,
    initialBox,
  );
  const [focusedUserId, setFocusedUserId] = useState(selectedUserId);
  const focusableUserId = nodes.some(({ id }) => id === focusedUserId) ? focusedUserId : nodes[0]?.id;

  const handleKeyDown = (event: KeyboardEvent<SVGSVGElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const pan = event.shiftKey ? PAN_BY_KEY[event.key] : undefined;
    const moveFocus = MOVE_BY_KEY[event.key];
    const zoom = { '+': zoomIn, '=': zoomIn, '-': zoomOut, '0': fit }[event.key];
    if (pan) move(...pan);
    else if (zoom) zoom();
    else if (moveFocus) {
      const index = nodes.findIndex(({ id }) => id === focusableUserId);
      const next = nodes[clamp(moveFocus(index, nodes.length - 1), 0, nodes.length - 1)];
      event.currentTarget.querySelector<SVGElement>(`[data-person="${next?.id}"]`)?.focus();
    } else return;
    event.preventDefault();
  };

  return (
    <figure className="graph" aria-label="Graph of assignments">
      {/* The nodes are links; the handler moves the focus between them. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <svg
        ref={attach}
        className="graph-window"
        // SVG has no element with the role group.
        // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role
        role="group"
        aria-label={`${pluralize(nodes.length, 'person', 'people')}, proxies to the left of the users they act for`}
        aria-describedby="graph-keys"
        onKeyDown={handleKeyDown}
        {...pointer}
      >
        <defs>
          <Arrow id="graph-arrow" />
          <Arrow id="graph-arrow-cycle" />
        </defs>
        <g transform={transform}>
          {edges.map((edge) => {
            const isCyclic = isPartOfCycle(assignments, edge);
            const isSelected = edge.proxyUserId === selectedUserId || edge.userId === selectedUserId;
            return (
              <path
                key={`${edge.proxyUserId} ${edge.userId}`}
                className={cx(
                  'graph-edge',
                  isCyclic && 'graph-edge-cycle',
                  isSelfAssigned(assignments, edge) && 'graph-edge-self',
                  isSelected && 'graph-edge-near',
                )}
                d={edge.path}
                markerEnd={`url(#graph-arrow${isCyclic ? '-cycle' : ''})`}
              />
            );
          })}
          {nodes.map((node) => (
            <GraphNode
              key={node.id}
              {...node}
              name={assignments.people.get(node.id)?.fullName ?? String(node.id)}
              warnings={getPersonWarnings(node.id, assignments, states)}
              userCount={assignments.usersByProxy.get(node.id)?.length ?? 0}
              proxyCount={assignments.proxiesByUser.get(node.id)?.length ?? 0}
              focusable={node.id === focusableUserId}
              selected={node.id === selectedUserId}
              onFocus={() => {
                setFocusedUserId(node.id);
                const box = getNodeBox(node);
                if (box) show(box);
              }}
            />
          ))}
        </g>
      </svg>
      <figcaption className="graph-legend">
        {omittedCount > 0 && (
          <strong>
            Showing {formatNumber(nodes.length)} of {formatNumber(nodes.length + omittedCount)} people. The
            table lists all of them.
          </strong>
        )}
        <span className="graph-sign graph-sign-cycle">In a cycle (dashed line)</span>
        <span className="graph-sign graph-sign-self">Assigned by the proxy (dotted line)</span>
        <span className="graph-sign graph-sign-inactive">Inactive</span>
        <span className="graph-sign graph-sign-shield">
          <ShieldOff />
          No two-factor
        </span>
        <span id="graph-keys">
          Drag to pan, Ctrl + wheel to zoom. Keyboard: arrow keys move between people, + − 0 zoom, Shift +
          arrow keys pan.
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

const getNodeBox = (node: { x: number; y: number } | undefined) =>
  node && { x: node.x, y: node.y, ...NODE_SIZE };

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

/** Position and scale of the drawing in its viewport. */
interface Viewport {
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

/** Limits of zooming. */
const MIN_SCALE = 0.2;
const MAX_SCALE = 2;
const ZOOM_FACTOR = 1.25;
/** Fitting does not scale below this, so that names stay readable. */
const MIN_FIT_SCALE = 0.85;
const MARGIN_PX = 24;
/** A pointer that moves less than this is a click. */
const DRAG_THRESHOLD_PX = 4;

const clamp = (value: number, min: number, max: number) => Math.max(min, Math.min(max, value));

/** Scales by a factor and keeps the point `at` in place. */
function zoomAt(view: Viewport, factor: number, at: { x: number; y: number }): Viewport {
  const scale = clamp(view.scale * factor, MIN_SCALE, MAX_SCALE);
  const ratio = scale / view.scale;
  return { scale, x: at.x - (at.x - view.x) * ratio, y: at.y - (at.y - view.y) * ratio };
}

/** Fits a drawing to the width of its container, at a readable scale and from the top. */
const fitToWidth = (container: Element, width: number): Viewport => {
  const scale = clamp(container.clientWidth / width, MIN_FIT_SCALE, 1);
  return { scale, x: Math.max(0, (container.clientWidth - width * scale) / 2), y: 0 };
};

/** Moves the viewport as little as necessary to show the box. */
function scrollIntoView(view: Viewport, box: Box, container: Element): Viewport {
  const scrollAxis = (position: number, size: number, offset: number, available: number) => {
    const start = position * view.scale + offset;
    if (start < MARGIN_PX) return offset + MARGIN_PX - start;
    return Math.min(offset, offset + available - MARGIN_PX - start - size * view.scale);
  };
  return {
    ...view,
    x: scrollAxis(box.x, box.width, view.x, container.clientWidth),
    y: scrollAxis(box.y, box.height, view.y, container.clientHeight),
  };
}

/** Panning and zooming of a drawing by pointer, wheel (Ctrl or Cmd zooms), buttons and keys. */
function usePanZoom(width: number, initialBox: Box | undefined) {
  const [view, setView] = useState<Viewport>({ x: 0, y: 0, scale: 1 });
  const svgRef = useRef<SVGSVGElement>(null);
  const dragRef = useRef<{ x: number; y: number; from: Viewport; hasMoved: boolean }>(undefined);

  // React attaches wheel listeners as passive, which cannot prevent the page from scrolling.
  const attach = useCallback(
    (svg: SVGSVGElement | null) => {
      svgRef.current = svg;
      if (!svg) return undefined;
      const start = fitToWidth(svg, width);
      setView(initialBox ? scrollIntoView(start, initialBox, svg) : start);
      const handleWheel = (event: WheelEvent) => {
        event.preventDefault();
        const { left, top } = svg.getBoundingClientRect();
        const at = { x: event.clientX - left, y: event.clientY - top };
        setView((current) =>
          event.ctrlKey || event.metaKey
            ? zoomAt(current, Math.exp(-event.deltaY / 200), at)
            : { ...current, x: current.x - event.deltaX, y: current.y - event.deltaY },
        );
      };
      svg.addEventListener('wheel', handleWheel, { passive: false });
      return () => svg.removeEventListener('wheel', handleWheel);
    },
    [width, initialBox],
  );

  const zoom = (factor: number) => {
    const svg = svgRef.current;
    if (svg)
      setView((current) => zoomAt(current, factor, { x: svg.clientWidth / 2, y: svg.clientHeight / 2 }));
  };
  const updateView = (compute: (svg: SVGSVGElement, current: Viewport) => Viewport) => {
    const svg = svgRef.current;
    if (svg) setView((current) => compute(svg, current));
  };
  return {
    attach,
    transform: `translate(${view.x} ${view.y}) scale(${view.scale})`,
    zoomIn: () => zoom(ZOOM_FACTOR),
    zoomOut: () => zoom(1 / ZOOM_FACTOR),
    fit: () => updateView((svg) => fitToWidth(svg, width)),
    show: (box: Box) => updateView((svg, current) => scrollIntoView(current, box, svg)),
    move: (x: number, y: number) =>
      setView((current) => ({ ...current, x: current.x + x, y: current.y + y })),
    pointer: {
      onPointerDown(event: PointerEvent<SVGSVGElement>) {
        if (event.button === 0)
          dragRef.current = { x: event.clientX, y: event.clientY, from: view, hasMoved: false };
      },
      onPointerMove(event: PointerEvent<SVGSVGElement>) {
        const drag = dragRef.current;
        if (!drag) return;
        const [x, y] = [event.clientX - drag.x, event.clientY - drag.y];
        if (!drag.hasMoved && Math.hypot(x, y) < DRAG_THRESHOLD_PX) return;
        // Capturing the pointer keeps the node under it from receiving a click.
        drag.hasMoved = true;
        event.currentTarget.setPointerCapture(event.pointerId);
        setView({ ...drag.from, x: drag.from.x + x, y: drag.from.y + y });
      },
      onPointerUp: () => {
        dragRef.current = undefined;
      },
      onPointerCancel: () => {
        dragRef.current = undefined;
      },
    },
  };
}

interface GraphNodeProps {
  id: number;
  name: string;
  x: number;
  y: number;
  warnings: readonly Warning[];
  /** Number of users the person may act for. */
  userCount: number;
  /** Number of proxies that may act for the person. */
  proxyCount: number;
  /** Whether the node is in the tab order (roving tabindex). */
  focusable: boolean;
  /** Whether the panel of the person is open or the graph is limited to their component. */
  selected: boolean;
  onFocus: () => void;
}

const ICON_SIZE = 14;

/** A person in the graph. Each warning has its own shape and is also written as text. */
function GraphNode({
  id,
  name,
  x,
  y,
  warnings,
  userCount,
  proxyCount,
  focusable,
  selected,
  onFocus,
}: GraphNodeProps) {
  const counts = [
    ...(userCount > 0 ? [`acts for ${userCount}`] : []),
    ...(proxyCount > 0 ? [pluralize(proxyCount, 'proxy', 'proxies')] : []),
  ].join(' · ');
  const lacksTwoFactor = warnings.includes('noTwoFactor');
  const shownName = truncateName(name, lacksTwoFactor ? 17 : 20);
  return (
    <Link
      to="/proxies/graph/$userId"
      params={{ userId: id }}
      search={(current) => current}
      preload={false}
      className={cx(
        'graph-node',
        ...warnings.map((warning) => `graph-${warning}`),
        selected && 'graph-chosen',
      )}
      tabIndex={focusable ? 0 : -1}
      data-person={id}
      onFocus={onFocus}
      onDragStart={(event) => event.preventDefault()}
    >
      <g transform={`translate(${x} ${y})`}>
        <rect
          className="graph-ring"
          x={-4}
          y={-4}
          width={NODE_SIZE.width + 8}
          height={NODE_SIZE.height + 8}
          rx={10}
        />
        <rect className="graph-box" width={NODE_SIZE.width} height={NODE_SIZE.height} rx={6}>
          {shownName !== name && <title>{name}</title>}
        </rect>
        {warnings.includes('cycle') && (
          <rect
            className="graph-inner"
            x={3}
            y={3}
            width={NODE_SIZE.width - 6}
            height={NODE_SIZE.height - 6}
            rx={4}
          />
        )}
        <text className="graph-name" x={12} y={19} aria-hidden>
          {shownName}
        </text>
        {/* Screen readers get the full name. */}
        <text className="graph-full-name" x={12} y={19}>
          {name},{' '}
        </text>
        <text className="graph-note" x={12} y={34}>
          {warnings.length === 0 ? counts : formatWarnings(warnings)}
        </text>
        {lacksTwoFactor && (
          <ShieldOff
            className="graph-shield"
            x={NODE_SIZE.width - ICON_SIZE - 9}
            y={8}
            width={ICON_SIZE}
            height={ICON_SIZE}
          />
        )}
      </g>
    </Link>
  );
}

// East Asian characters are about twice as wide as Latin ones.
const WIDE_CHARACTER =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE4F\uFF00-\uFF60\u{1F300}-\u{1FAFF}]/u;
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Truncates a name to the width of `maxWidth` Latin characters, because SVG text does not wrap. */
function truncateName(name: string, maxWidth: number): string {
  let width = 0;
  let text = '';
  for (const { segment } of graphemes.segment(name)) {
    width += WIDE_CHARACTER.test(segment) ? 2 : 1;
    if (width > maxWidth) return `${text.trimEnd()}…`;
    text += segment;
  }
  return text;
}
