import type { ReactNode } from 'react';
import { Skeleton } from '../feedback/Skeleton.tsx';
import './chart.css';
import './stat-tiles.css';

/** Row of labeled numbers. */
export function StatTiles({ children }: { children: ReactNode }) {
  return <dl className="stats">{children}</dl>;
}

interface StatTileProps {
  label: string;
  /** Color of the series in the chart beside it. */
  tone?: 1 | 2 | 3 | 4 | undefined;
  /** Undefined while it is loading. */
  value: string | undefined;
  /** Meaning or change of the number. */
  note?: ReactNode;
}

export function StatTile({ label, tone, value, note }: StatTileProps) {
  return (
    <div className="stat">
      <dt>
        {tone !== undefined && <i className={`chart-swatch chart-tone-${tone}`} aria-hidden />}
        {label}
      </dt>
      <dd>
        <strong className="num">{value ?? <Skeleton width="56px" />}</strong>
        {note !== undefined && <span className="stat-note">{note}</span>}
      </dd>
    </div>
  );
}
