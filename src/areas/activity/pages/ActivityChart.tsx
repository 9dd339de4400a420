import { ZoomOut } from 'lucide-react';
import { useCallback, useMemo } from 'react';
import { Button } from '../../../ui/button/Button.tsx';
import { TimeChart } from '../../../ui/chart/TimeChart.tsx';
import { cx } from '../../../ui/cx.ts';
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import { drawnOf, periodOf } from '../model/buckets.ts';
import type { useSummary } from '../model/data.ts';
import { between, reachOf, widened } from '../model/range.ts';
import type { Range } from '../model/presets.ts';
import type { Bounds } from '../model/range.ts';
import type { ActivityView } from '../model/view.ts';
import type { UserActivitySummary } from '../../../api/generated/types.gen.ts';
import { count } from '../../../lib/numbers.ts';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { SMALL, useMedia } from '../../../ui/use-media.ts';

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

interface TopListsProps {
  view: ActivityView;
  show: (view: ActivityView) => void;
  summary: UserActivitySummary | undefined;
}

interface Line {
  key: string | number;
  name: string;
  count: number;
  mono?: boolean;
  /** Whether the report is narrowed to it. */
  on: boolean;
  choose: () => void;
}

const ON_A_PHONE = 5;

/** Who acted most, and from which addresses; each narrows the report to itself. */
function TopLists({ view, show, summary }: TopListsProps) {
  const people = summary?.topUsers.map(({ userId, fullName, userName, count: rows }): Line => {
    const on = view.people.length === 1 && view.people[0] === userId;
    return {
      key: userId,
      name: fullName.trim() || userName || `User ${userId}`,
      count: rows,
      on,
      choose: () => show({ ...view, people: on ? [] : [userId] }),
    };
  });
  const addresses = summary?.topAddresses.map(({ ipAddress, count: rows }): Line => {
    const on = view.address === ipAddress;
    return {
      key: ipAddress,
      name: ipAddress,
      count: rows,
      mono: true,
      on,
      choose: () => show({ ...view, address: on ? '' : ipAddress }),
    };
  });
  return (
    <>
      <TopList title="Most active people" lines={people} />
      <TopList title="Most used addresses" lines={addresses} />
    </>
  );
}

function TopList({ title, lines }: { title: string; lines: readonly Line[] | undefined }) {
  const small = useMedia(SMALL);
  const shown = small ? lines?.slice(0, ON_A_PHONE) : lines;
  const most = Math.max(1, ...(lines ?? []).map((line) => line.count));
  return (
    <Card title={title}>
      {!shown && <SkeletonRows rows={5} />}
      {shown?.length === 0 && <p className="act-top-none">None</p>}
      {shown && shown.length > 0 && (
        <ol className="act-top">
          {shown.map(({ key, name, count: rows, mono, on, choose }) => (
            <li key={key}>
              <button type="button" aria-pressed={on} title={name} onClick={choose}>
                <i className="act-top-bar" style={{ inlineSize: `${(100 * rows) / most}%` }} aria-hidden />
                <span className={mono ? 'act-top-name mono' : 'act-top-name'}>{name}</span>
                <span className="num">{count(rows)}</span>
              </button>
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}
