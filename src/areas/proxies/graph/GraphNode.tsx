import { Link } from '@tanstack/react-router';
import { ShieldOff } from 'lucide-react';
import { pluralize } from '../../../lib/numbers.ts';
import { cx } from '../../../ui/cx.ts';
import type { Warning } from '../model/assignments.ts';
import { formatWarnings } from '../model/assignments.ts';
import { NODE_SIZE } from './graph-layout.ts';

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
export function GraphNode({
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
