import { cx } from '../cx.ts';
import './feedback.css';

/** Placeholder bar of a text; width in percent or pixels ("40%"). */
export function Skeleton({ width, circle }: { width?: string; circle?: boolean }) {
  return <span className={cx('skel', circle && 'skel-circle')} style={{ width }} aria-hidden />;
}

const WIDTHS = ['46%', '62%', '38%', '54%', '30%', '58%'];

/** Skeleton of a card with label and value rows. */
export function SkeletonRows({ rows = 6 }: { rows?: number }) {
  return (
    <output className="skel-stack" aria-label="Loading">
      {Array.from({ length: rows }, (_, row) => (
        <Skeleton key={row} width={WIDTHS[row % WIDTHS.length] ?? '50%'} />
      ))}
    </output>
  );
}
