import { Maximize, ShieldOff, ZoomIn, ZoomOut } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { KeyboardEvent } from 'react';
import { count, counted } from '../../../lib/numbers.ts';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { cx } from '../../../ui/cx.ts';
import { isCyclic, marksOf } from './-delegations.ts';
import type { Delegations, States } from './-delegations.ts';
import { NODE } from './-graph-layout.ts';
import type { GraphLayout } from './-graph-layout.ts';
import { GraphNode } from './-GraphNode.tsx';
import { usePanZoom } from './-use-pan-zoom.ts';

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
