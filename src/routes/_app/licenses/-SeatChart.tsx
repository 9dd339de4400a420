import { Choice } from '../../../ui/chart/Choice.tsx';
import { TimeChart } from '../../../ui/chart/TimeChart.tsx';
import { cx } from '../../../ui/cx.ts';
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import { BILLABLE } from './-seats.ts';
import type { useSeats } from './-seats.ts';
import { RANGES } from './-view.ts';
import type { Range } from './-view.ts';

const OPTIONS = RANGES.map((value) => ({ value, label: `${value} days` }));

interface SeatChartProps extends ReturnType<typeof useSeats> {
  range: Range;
  onRange: (range: Range) => void;
}

/** How the seats have changed, by day and type. */
export function SeatChart({ range, onRange, drawn, stale, error, refetch, isFetching }: SeatChartProps) {
  return (
    <Card
      title="Licenses by day"
      actions={<Choice label="How far back" options={OPTIONS} value={range} onChange={onRange} />}
    >
      {drawn && drawn.days.length > 0 && (
        <div className={cx(stale && 'lic-stale')} aria-busy={stale}>
          <TimeChart label="Licenses by day" sum={BILLABLE} {...drawn} />
        </div>
      )}
      {drawn?.days.length === 0 && <CardBody>No day has been counted yet.</CardBody>}
      {!drawn && !error && <div className="lic-chart-wait" />}
      {!drawn && error && (
        <div>
          <ErrorState
            title="The days could not be counted"
            onRetry={error.status === 501 ? undefined : refetch}
            retrying={isFetching}
            requestId={error.requestId}
          >
            {error.message}. Numbers and list do not need them.
          </ErrorState>
        </div>
      )}
    </Card>
  );
}
