import { Link } from '@tanstack/react-router';
import { ShieldOff } from 'lucide-react';
import { counted } from '../../../lib/numbers.ts';
import { cx } from '../../../ui/cx.ts';
import type { Mark } from './-marks.ts';
import { NODE } from './-graph-layout.ts';
import { shortMarks } from './-words.ts';
import { shortened } from './-shortened.ts';

interface GraphNodeProps {
  id: number;
  name: string;
  x: number;
  y: number;
  marks: readonly Mark[];
  /** How many they may act for, and how many may act for them. */
  users: number;
  proxies: number;
  /** The one the keyboard is on. */
  current: boolean;
  /** The one whose panel is open or around whom is drawn. */
  chosen: boolean;
  onFocus: () => void;
}

const ICON = 14;

/** A person of the graph. Every mark has a shape of its own and stands in words as well. */
export function GraphNode({
  id,
  name,
  x,
  y,
  marks,
  users,
  proxies,
  current,
  chosen,
  onFocus,
}: GraphNodeProps) {
  const counts = [
    ...(users > 0 ? [`acts for ${users}`] : []),
    ...(proxies > 0 ? [counted(proxies, 'proxy', 'proxies')] : []),
  ].join(' · ');
  const off = marks.includes('noTwoFactor');
  const shown = shortened(name, off ? 17 : 20);
  return (
    <Link
      to="/proxies/graph/$userId"
      params={{ userId: id }}
      search={(now) => now}
      preload={false}
      className={cx('graph-node', ...marks.map((mark) => `graph-${mark}`), chosen && 'graph-chosen')}
      tabIndex={current ? 0 : -1}
      data-person={id}
      onFocus={onFocus}
      onDragStart={(event) => event.preventDefault()}
    >
      <g transform={`translate(${x} ${y})`}>
        <rect className="graph-ring" x={-4} y={-4} width={NODE.width + 8} height={NODE.height + 8} rx={10} />
        <rect className="graph-box" width={NODE.width} height={NODE.height} rx={6}>
          {shown !== name && <title>{name}</title>}
        </rect>
        {marks.includes('cycle') && (
          <rect className="graph-inner" x={3} y={3} width={NODE.width - 6} height={NODE.height - 6} rx={4} />
        )}
        <text className="graph-name" x={12} y={19} aria-hidden>
          {shown}
        </text>
        {/* Whoever hears it hears the whole name. */}
        <text className="graph-said" x={12} y={19}>
          {name},{' '}
        </text>
        <text className="graph-note" x={12} y={34}>
          {marks.length === 0 ? counts : shortMarks(marks)}
        </text>
        {off && (
          <ShieldOff className="graph-shield" x={NODE.width - ICON - 9} y={8} width={ICON} height={ICON} />
        )}
      </g>
    </Link>
  );
}
