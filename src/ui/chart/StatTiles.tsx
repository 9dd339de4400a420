import type { ReactNode } from 'react';
import { cx } from '../cx.ts';
import { Skeleton } from '../feedback/Skeleton.tsx';
import './chart.css';
import './stat-tiles.css';

interface StatTilesProps {
  /** Whether the notes stand below the numbers, for notes that do not fit beside them. */
  areNotesBelow?: boolean;
  children: ReactNode;
}

/** Row of labeled numbers. */
export function StatTiles({ areNotesBelow = false, children }: StatTilesProps) {
  return <dl className={cx('stats', areNotesBelow && 'stats-notes-below')}>{children}</dl>;
}

interface StatTileProps {
  /** Name of the number, which may be a link to what it counts. */
  label: ReactNode;
  /** Color of the series in the chart beside it. */
  tone?: 1 | 2 | 3 | 4 | undefined;
  /** Undefined while it is loading. */
  value: string | undefined;
  /** Meaning or change of the number. */
  note?: ReactNode;
  /** Chart or text below the number. */
  children?: ReactNode;
}

export function StatTile({ label, tone, value, note, children }: StatTileProps) {
  return (
    <div className="stat">
      <dt>
        {tone !== undefined && <i className={`chart-swatch chart-tone-${tone}`} aria-hidden />}
        {label}
      </dt>
      <dd>
        <strong className="num">{value ?? <Skeleton width="56px" />}</strong>
        {note !== undefined && <span className="stat-note">{note}</span>}
        {children}
      </dd>
    </div>
  );
}
