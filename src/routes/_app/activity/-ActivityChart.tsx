import { ZoomOut } from 'lucide-react';
import { useCallback, useMemo } from 'react';
import { Button } from '../../../ui/button/Button.tsx';
import { TimeChart } from '../../../ui/chart/TimeChart.tsx';
import { cx } from '../../../ui/cx.ts';
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import { drawnOf, periodOf } from './-buckets.ts';
import type { useSummary } from './-data.ts';
import { between, reachOf, widened } from './-range.ts';
import type { Range } from './-presets.ts';
import type { Bounds } from './-range.ts';
import { TopLists } from './-TopLists.tsx';
import type { ActivityView } from './-view.ts';

interface ActivityChartProps extends ReturnType<typeof useSummary> {
  view: ActivityView;
  show: (view: ActivityView) => void;
  bounds: Bounds;
  now: number;
}

/** The filtered result over time, and who and where most of it comes from. */
export function ActivityChart(props: ActivityChartProps) {
  const { view, show, summary, stale, error } = props;
  if (error && !summary) return <NotCounted {...props} />;
  return (
    <div className={cx('act-summary', stale && 'act-stale')} aria-busy={stale}>
      <OverTime {...props} />
      <TopLists {...{ view, show, summary }} />
    </div>
  );
}

function OverTime({ view, show, bounds, now, summary }: ActivityChartProps) {
  const { from, to } = bounds;
  const drawn = useMemo(
    () => summary && drawnOf(summary.counts, { bucket: summary.bucket, from, to }),
    [summary, from, to],
  );
  const label = summary?.bucket === 'day' ? 'Activity by day (UTC)' : 'Activity by hour';
  const go = (range: Range) => show({ ...view, range });
  const days = drawn?.days;
  const zoom = useCallback(
    (first: number, last: number) => {
      if (!days) return;
      const period = periodOf(days, first, last);
      show({ ...view, range: between(Math.max(period.from, reachOf(now)), period.to, now) });
    },
    [days, show, view, now],
  );
  // Nothing lies between the steps of a chart that has only one.
  const zooms = days !== undefined && days.length > 1;
  return (
    <Card
      title={label}
      actions={
        <Button
          size="small"
          icon={ZoomOut}
          disabledReason={from <= reachOf(now) && bounds.open ? 'This is everything there is' : undefined}
          onClick={() => go(widened(bounds, now))}
        >
          Zoom out
        </Button>
      }
    >
      {drawn && drawn.series.length > 0 && (
        <TimeChart
          {...drawn}
          bars
          label={label}
          sum={{ label: 'All', of: drawn.series.length }}
          onZoom={zooms ? zoom : undefined}
        />
      )}
      {drawn?.series.length === 0 && (
        <div className="act-chart-wait">
          <CardBody>Nothing happened in this period that matches.</CardBody>
        </div>
      )}
      {!drawn && <div className="act-chart-wait" />}
    </Card>
  );
}

function NotCounted({ error, refetch, isFetching }: ActivityChartProps) {
  // What the service does not take is told once, with the rows.
  if (!error || error.status === 400) return null;
  return (
    <Card title="Activity over time">
      <div>
        <ErrorState
          title="The rows could not be counted"
          onRetry={error.status === 501 ? undefined : refetch}
          retrying={isFetching}
          requestId={error.requestId}
        >
          {error.message}. The rows themselves do not need it.
        </ErrorState>
      </div>
    </Card>
  );
}
