import { formatDifference, formatNumber } from '../lib/numbers.ts';
import { useDirectory } from './directory.ts';

/** Difference in billable licenses that a planned change of many users makes; nothing if there is none. */
export function BillableDelta({ delta }: { delta: number }) {
  const { billable, complete } = useDirectory();
  if (delta === 0) return null;
  return (
    <p className="num">
      Billable licenses: <strong>{formatDifference(delta)}</strong>
      {complete && `, ${formatNumber(billable)} → ${formatNumber(billable + delta)}`}
    </p>
  );
}
