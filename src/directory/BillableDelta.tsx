import { formatNumber } from '../lib/numbers.ts';
import { useDirectory } from './directory.ts';

/** Difference in billable licenses that a planned change of many users makes; nothing if there is none. */
export function BillableDelta({ delta }: { delta: number }) {
  const { billable, complete } = useDirectory();
  if (delta === 0) return null;
  const difference = `${delta > 0 ? '+' : '−'}${formatNumber(Math.abs(delta))}`;
  return (
    <p className="num">
      Billable licenses: <strong>{difference}</strong>
      {complete && `, ${formatNumber(billable)} → ${formatNumber(billable + delta)}`}
    </p>
  );
}
