import { ListOrdered, ZoomOut } from 'lucide-react';
import { useCallback, useMemo } from 'react';
import type { UserActivitySummary } from '../../../../contract/generated/types.gen.ts';
import { formatNumber } from '../../../lib/numbers.ts';
import { endSentence } from '../../../lib/text/sentences.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { TimeChart } from '../../../ui/chart/TimeChart.tsx';
import { cx } from '../../../ui/cx.ts';
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import { SMALL_SCREEN, useMedia } from '../../../ui/use-media.ts';
import type { useActivitySummary } from '../model/activity-data.ts';
import { buildChartSeries, getChartPeriod } from '../model/chart-series.ts';
import { createPeriod, getReportStart, widenPeriod } from '../model/period.ts';
import type { Period, PeriodBounds } from '../model/period.ts';
import { setTopListsVisible, useAreTopListsVisible } from '../model/preferences.ts';
import type { ActivityView } from '../model/view.ts';

interface ActivityChartProps extends ReturnType<typeof useActivitySummary> {
  view: ActivityView;
  show: (view: ActivityView) => void;
  bounds: PeriodBounds;
  now: number;
}

/** Summary of the report: rows over time, and the most frequent users and addresses. */
export function ActivityChart(props: ActivityChartProps) {
  const { view, show, summary, isStale, error } = props;
  const areTopListsVisible = useAreTopListsVisible();
  if (error && !summary) return <SummaryError {...props} />;
  return (
    <div className={cx('act-summary', isStale && 'act-stale')} aria-busy={isStale}>
      <TimeCard {...props} />
      {areTopListsVisible && <TopLists {...{ view, show, summary }} />}
    </div>
  );
}

function TimeCard({ view, show, bounds, now, summary }: ActivityChartProps) {
  const { from, to } = bounds;
  const areTopListsVisible = useAreTopListsVisible();
  const chart = useMemo(
    () => summary && buildChartSeries(summary.counts, { bucket: summary.bucket, from, to }),
    [summary, from, to],
  );
  const label = summary?.bucket === 'day' ? 'Activity by day (UTC)' : 'Activity by hour';
  const showPeriod = (period: Period) => show({ ...view, period });
  const steps = chart?.steps;
  const zoom = useCallback(
    (first: number, last: number) => {
      if (!steps) return;
      const period = getChartPeriod(steps, first, last);
      show({ ...view, period: createPeriod(Math.max(period.from, getReportStart(now)), period.to, now) });
    },
    [steps, show, view, now],
  );
  // A chart with one bucket cannot be zoomed.
  const canZoom = steps !== undefined && steps.length > 1;
  return (
    <Card
      title={label}
      actions={
        <div className="act-chart-actions">
          <Button
            size="small"
            icon={ListOrdered}
            aria-expanded={areTopListsVisible}
            onClick={() => setTopListsVisible(!areTopListsVisible)}
          >
            Top lists
          </Button>
          <Button
            size="small"
            icon={ZoomOut}
            disabledReason={
              from <= getReportStart(now) && bounds.isOpen ? 'The whole report is shown' : undefined
            }
            onClick={() => showPeriod(widenPeriod(bounds, now))}
          >
            Zoom out
          </Button>
        </div>
      }
    >
      {chart && chart.series.length > 0 && (
        <TimeChart
          {...chart}
          isBarChart
          label={label}
          total={{ label: 'All', of: chart.series.length }}
          onZoom={canZoom ? zoom : undefined}
        />
      )}
      {chart?.series.length === 0 && (
        <div className="act-chart-wait">
          <CardBody>No matching activity in this period.</CardBody>
        </div>
      )}
      {!chart && <div className="act-chart-wait" />}
    </Card>
  );
}

function SummaryError({ error, refetch, isFetching }: ActivityChartProps) {
  // Validation errors are shown with the rows.
  if (!error || error.status === 400) return null;
  return (
    <Card title="Activity over time">
      <div>
        <ErrorState
          title="The rows could not be counted"
          onRetry={refetch}
          retrying={isFetching}
          requestId={error.requestId}
        >
          {endSentence(error.message)} The rows below are not affected.
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

interface TopListItem {
  key: string | number;
  name: string;
  count: number;
  mono?: boolean;
  /** Whether the report is filtered by the item. */
  isSelected: boolean;
  toggle: () => void;
}

const MAX_ITEMS_ON_PHONE = 5;

/** The most frequent users and addresses; each is a filter of the report. */
function TopLists({ view, show, summary }: TopListsProps) {
  const people = summary?.topUsers.map(({ userId, fullName, userName, count: rows }): TopListItem => {
    const on = view.people.length === 1 && view.people[0] === userId;
    return {
      key: userId,
      name: fullName.trim() || userName || `User ${userId}`,
      count: rows,
      isSelected: on,
      toggle: () => show({ ...view, people: on ? [] : [userId] }),
    };
  });
  const addresses = summary?.topAddresses.map(({ ipAddress, count: rows }): TopListItem => {
    const on = view.address === ipAddress;
    return {
      key: ipAddress,
      name: ipAddress,
      count: rows,
      mono: true,
      isSelected: on,
      toggle: () => show({ ...view, address: on ? '' : ipAddress }),
    };
  });
  return (
    <>
      <TopList title="Most active people" lines={people} />
      <TopList title="Most used addresses" lines={addresses} />
    </>
  );
}

function TopList({ title, lines }: { title: string; lines: readonly TopListItem[] | undefined }) {
  const small = useMedia(SMALL_SCREEN);
  const visibleLines = small ? lines?.slice(0, MAX_ITEMS_ON_PHONE) : lines;
  const maxCount = Math.max(1, ...(lines ?? []).map((line) => line.count));
  return (
    <Card title={title}>
      {!visibleLines && <SkeletonRows rows={5} />}
      {visibleLines?.length === 0 && <p className="act-top-none">None</p>}
      {visibleLines && visibleLines.length > 0 && (
        <ol className="act-top">
          {visibleLines.map(({ key, name, count: rows, mono, isSelected, toggle }) => (
            <li key={key}>
              <button type="button" aria-pressed={isSelected} title={name} onClick={toggle}>
                <i
                  className="act-top-bar"
                  style={{ inlineSize: `${(100 * rows) / maxCount}%` }}
                  aria-hidden
                />
                <span className={mono ? 'act-top-name mono' : 'act-top-name'}>{name}</span>
                <span className="num">{formatNumber(rows)}</span>
              </button>
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}
