import { Link } from '@tanstack/react-router';
import { ShieldOff } from 'lucide-react';
import { counted } from '../../../lib/numbers.ts';
import { cx } from '../../../ui/cx.ts';
import { MARK_WORDS } from './-delegations.ts';
import type { Mark } from './-delegations.ts';
import { NODE } from './-graph-layout.ts';
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

const SHORT: Record<Mark, string> = { cycle: 'cycle', inactive: 'inactive', noTwoFactor: 'no 2FA' };
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
  const said = [name, `may act for ${users}`, counted(proxies, 'proxy', 'proxies')];
  const off = marks.includes('noTwoFactor');
  return (
    <Link
      to="/proxies/graph/$userId"
      params={{ userId: id }}
      search={(now) => now}
      preload={false}
      className={cx('graph-node', ...marks.map((mark) => `graph-${mark}`), chosen && 'graph-chosen')}
      tabIndex={current ? 0 : -1}
      data-person={id}
      aria-label={[...said, ...marks.map((mark) => MARK_WORDS[mark].toLowerCase())].join(', ')}
      onFocus={onFocus}
      onDragStart={(event) => event.preventDefault()}
    >
      <g transform={`translate(${x} ${y})`}>
        <title>{name}</title>
        <rect className="graph-ring" x={-4} y={-4} width={NODE.width + 8} height={NODE.height + 8} rx={10} />
        <rect className="graph-box" width={NODE.width} height={NODE.height} rx={6} />
        {marks.includes('cycle') && (
          <rect className="graph-inner" x={3} y={3} width={NODE.width - 6} height={NODE.height - 6} rx={4} />
        )}
        <text className="graph-name" x={12} y={19}>
          {shortened(name, off ? 18 : 21)}
        </text>
        <text className="graph-note" x={12} y={34}>
          {marks.length === 0 ? counts : marks.map((mark) => SHORT[mark]).join(' · ')}
        </text>
        {off && (
          <ShieldOff className="graph-shield" x={NODE.width - ICON - 9} y={8} width={ICON} height={ICON} />
        )}
      </g>
    </Link>
  );
}
