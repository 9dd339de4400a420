import { Link } from '@tanstack/react-router';
import { ShieldOff } from 'lucide-react';
import { counted } from '../../../lib/numbers.ts';
import { cx } from '../../../ui/cx.ts';
import type { Mark } from '../model/marks.ts';
import { NODE } from './graph-layout.ts';
import { shortMarks } from '../model/words.ts';

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

// Letters of East Asian scripts are about twice as wide as Latin ones.
const WIDE =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE4F\uFF00-\uFF60\u{1F300}-\u{1FAFF}]/u;
const letters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** A name as far as so many Latin letters are wide: a drawing has no room that grows. */
function shortened(name: string, room: number): string {
  let width = 0;
  let shown = '';
  for (const { segment } of letters.segment(name)) {
    width += WIDE.test(segment) ? 2 : 1;
    if (width > room) return `${shown.trimEnd()}…`;
    shown += segment;
  }
  return shown;
}
