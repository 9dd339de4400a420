import { useQueryClient, useQuery } from '@tanstack/react-query';
import { Outlet, useRouter } from '@tanstack/react-router';
import { Activity, ArrowUp, Pause, Crosshair, Globe, PanelRight, UserRound } from 'lucide-react';
import { useMemo, useRef, useState, useEffect } from 'react';
import { ACTIVITY_RETENTION_DAYS } from '../../../../contract/rules/activity.ts';
import { ServiceError } from '../../../api/errors.ts';
import { sessionState } from '../../../api/session-state.ts';
import { usePermission, useSession } from '../../../api/session.ts';
import { getBrowserTimeZone, formatTimeZone } from '../../../lib/dates/time-zones.ts';
import { pluralize, formatNumber } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { announce } from '../../../ui/layout/LiveRegion.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import type { MenuItems } from '../../../ui/menu/menu-items.ts';
import { useStore } from '../../../ui/store.ts';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { useArrangedColumns, useHiddenColumns, useTableLayout } from '../../../ui/table/use-table-layout.ts';
import {
  getServerTime,
  useActivityRows,
  useActivitySummary,
  PAGE_SIZE,
  loadActivityPage,
} from '../model/activity-data.ts';
import { getTableError } from '../model/errors.ts';
import { formatDay, formatPeriod } from '../model/format.ts';
import { prependRows, mergeNewRows, NO_NEW_ROWS } from '../model/paged-rows.ts';
import type { NewRows } from '../model/paged-rows.ts';
import { DEFAULT_PRESET, resolvePeriod, getReportStart } from '../model/period.ts';
import { useIsChartVisible } from '../model/preferences.ts';
import { buildReportQuery, buildNewRowsQuery } from '../model/report-query.ts';
import { getRowId, getRowLabel, getActorName, formatAddress } from '../model/row.ts';
import type { ActivityRow } from '../model/row.ts';
import { useActivityView } from '../model/use-view.ts';
import { clearFilters, isFiltered, serializeActivityView } from '../model/view.ts';
import type { ActivityView } from '../model/view.ts';
import { COLUMNS } from '../panels/columns.tsx';
import { ActivityActions } from './ActivityActions.tsx';
import { ActivityChart } from './ActivityChart.tsx';
import { ActivityFilters } from './ActivityFilters.tsx';
import '../panels/activity.css';

/** Activity report up to the time it was opened. Newer rows are announced, or added live. */
export function ActivityPage() {
  const { allowed, reason } = usePermission('queryUserActivity');
  if (!allowed) throw new ServiceError(403, reason);
  return <Report />;
}

function useOpenedAt() {
  const client = useQueryClient();
  const [openedAt, setOpenedAt] = useState(() => getServerTime(client));
  return { openedAt, reopen: () => setOpenedAt(getServerTime(client)) };
}

function useReport(view: ActivityView, openedAt: number) {
  const zone = getBrowserTimeZone();
  const bounds = useMemo(() => resolvePeriod(view.period, openedAt, zone), [view.period, openedAt, zone]);
  const reportQuery = useMemo(() => buildReportQuery(view, bounds, openedAt), [view, bounds, openedAt]);
  const { from, to } = reportQuery;
  // The first day of the report is always shown as a whole (see `buildReportQuery`).
  const period = to === bounds.to ? view.period : { from, to };
  return { zone, reportQuery, period, bounds: { ...bounds, from, to }, ...useActivityRows(reportQuery) };
}

/** Whether the user has scrolled down or has the focus in the table: rows must not move then. */
function useIsReading() {
  const [isScrolledDown, setIsScrolledDown] = useState(false);
  const [isInTable, setIsInTable] = useState(false);
  return { isReading: isScrolledDown || isInTable, setIsScrolledDown, setIsInTable };
}

function Report() {
  const { view, show } = useActivityView();
  const { openedAt, reopen } = useOpenedAt();
  const [live, setLive] = useState(false);
  const { isReading, setIsScrolledDown, setIsInTable } = useIsReading();
  const containerRef = useRef<HTMLDivElement>(null);
  const { zone, reportQuery, period, bounds, rows, isStale, isFetching, error, refetch } = useReport(
    view,
    openedAt,
  );
  const summary = useActivitySummary(reportQuery);
  const isChartVisible = useIsChartVisible();
  const hidden = useHiddenColumns('activity');
  const columns = useArrangedColumns(COLUMNS, useTableLayout('activity'));
  const rowMenu = useRowMenu(view, show);
  const liveRows = useLiveRows({ view, since: bounds.isOpen ? bounds.to : undefined, live, isReading });
  const allRows = useMemo(
    () => rows && prependRows(liveRows.visibleRows, rows),
    [rows, liveRows.visibleRows],
  );
  const showNew = () => {
    containerRef.current?.querySelector('.tbl-scroll')?.scrollTo({ top: 0 });
    if (live && !liveRows.hasGap) liveRows.showWaiting();
    else reopen();
  };
  // Rows of the query before are not counted as those of this one.
  const total = isStale ? undefined : allRows?.length;
  const periodText = formatPeriod(period, openedAt, zone);
  const counts = summary.isStale ? undefined : summary.summary?.counts;
  const getTypeCount = (type: number) =>
    (counts ?? []).reduce((sum, one) => sum + (one.activityTypeId === type ? one.count : 0), 0);
  return (
    <Page
      fill
      title="Activity"
      meta={
        allRows && (total === undefined ? periodText : `${pluralize(total, 'row', 'rows')} · ${periodText}`)
      }
      actions={<ActivityActions {...{ view, bounds, reportQuery, openedAt, total }} />}
    >
      <ActivityFilters
        {...{ view, show, error, hidden, openedAt, zone, live }}
        getTypeCount={counts && view.types.length === 0 ? getTypeCount : undefined}
        // A period that has ended gets no new rows.
        onLive={bounds.isOpen ? setLive : undefined}
        asOf={allRows && (liveRows.asOf ?? openedAt)}
        refreshing={isFetching}
        onRefresh={reopen}
        matchCount={total}
      />
      {isChartVisible && <ActivityChart {...summary} {...{ view, show, bounds }} now={openedAt} />}
      <div
        ref={containerRef}
        className="act-rows"
        onFocus={({ target }) => setIsInTable(target.closest('tbody') !== null)}
        onBlur={({ currentTarget, relatedTarget }) => {
          if (!currentTarget.contains(relatedTarget)) setIsInTable(false);
        }}
      >
        <NewRowsBanner
          {...{ live, isReading }}
          waitingCount={liveRows.waitingCount}
          hasGap={liveRows.hasGap}
          onShow={showNew}
        />
        <DataTable
          label="Activity"
          columns={columns}
          rows={allRows}
          rowId={getRowId}
          rowLabel={getRowLabel}
          rowMenu={rowMenu}
          hidden={hidden}
          refetching={isStale || (isFetching && error !== undefined)}
          error={getTableError(error)}
          {...(error?.status !== 400 && { onRetry: refetch })}
          onScrolledAway={setIsScrolledDown}
          empty={<EmptyReport view={view} show={show} />}
          onClearFilters={isFiltered(view) ? () => show(clearFilters(view)) : undefined}
          footer={
            allRows && (
              <>
                <span>Times are in {formatTimeZone(zone, openedAt)}</span>
                <span>
                  Activity is kept for {ACTIVITY_RETENTION_DAYS} days: the report reaches back to{' '}
                  {formatDay(getReportStart(openedAt))}
                </span>
              </>
            )
          }
        />
      </div>
      <Outlet />
    </Page>
  );
}

/** Empty state of the report. */
function EmptyReport({ view, show }: { view: ActivityView; show: (view: ActivityView) => void }) {
  const { site } = useSession();
  const isFullPeriod = 'preset' in view.period && view.period.preset === '90';
  return (
    <EmptyState
      icon={Activity}
      title={isFullPeriod ? `No activity on ${site.name} yet` : 'No activity in this period'}
      actions={
        isFullPeriod ? undefined : (
          <Button onClick={() => show({ ...view, period: { preset: '90' } })}>
            {'preset' in view.period && view.period.preset === DEFAULT_PRESET
              ? 'Show the last 90 days'
              : 'Show the whole report'}
          </Button>
        )
      }
    >
      Sign-ins, sign-outs, exports and actions of proxies are listed here for 90 days.
    </EmptyState>
  );
}

interface NewRowsBannerProps {
  live: boolean;
  /** The user has scrolled down or has the focus on a row. */
  isReading: boolean;
  waitingCount: number;
  /** There are more new rows than counted. */
  hasGap: boolean;
  onShow: () => void;
}

/** Banner with the number of rows added since the report was opened. */
function NewRowsBanner({ live, isReading, waitingCount, hasGap, onShow }: NewRowsBannerProps) {
  const paused = live && isReading;
  if (waitingCount === 0 && !paused) return null;
  return (
    <div className="act-new">
      {paused && (
        <span className="act-paused">
          <Pause />
          Live is paused while you read
        </span>
      )}
      {waitingCount > 0 && (
        <Button size="small" icon={ArrowUp} onClick={onShow}>
          {formatNumber(waitingCount)}
          {hasGap && '+'} new
        </Button>
      )}
    </div>
  );
}

/** Menu of a row. */
function useRowMenu(view: ActivityView, show: (view: ActivityView) => void) {
  const router = useRouter();
  return (row: ActivityRow): MenuItems => {
    const address = formatAddress(row);
    const details = () =>
      void router.navigate({
        to: '/activity/$activityId',
        params: { activityId: row.activityId ?? 0 },
        search: serializeActivityView(view),
      });
    return [
      { label: 'Details', hint: 'With nearby activity', icon: PanelRight, onSelect: details },
      'line',
      {
        label: 'Only this person',
        hint: getActorName(row),
        icon: Crosshair,
        onSelect: () => show({ ...view, people: [row.userId] }),
      },
      {
        label: 'Only this address',
        hint: address,
        icon: Globe,
        disabledReason: address === undefined ? 'The row has no address' : undefined,
        onSelect: () => show({ ...view, address: address ?? '' }),
      },
      'line',
      {
        label: 'Open user',
        icon: UserRound,
        onSelect: () => void router.navigate({ to: '/users/$userId', params: { userId: row.userId } }),
      },
    ];
  };
}

const LIVE_INTERVAL_MS = 4000;
const IDLE_INTERVAL_MS = 30_000;
/** New rows are announced to screen readers at most this often. */
const ANNOUNCE_INTERVAL_MS = 15_000;

interface NewRowsOptions {
  view: ActivityView;
  /** End of the report; undefined for a period that has ended. */
  since: number | undefined;
  live: boolean;
}

/** Rows added since the report was opened, polled while the page is visible and the session is open. */
function useNewRows({ view, since = 0, live, enabled }: NewRowsOptions & { enabled: boolean }) {
  const isSignedIn = useStore(sessionState) === 'open';
  const { period: _, ...filters } = view;
  const { data, dataUpdatedAt } = useQuery({
    queryKey: [{ _id: 'queryUserActivity', newer: filters, since }],
    async queryFn({ client, queryKey, signal }) {
      const query = buildNewRowsQuery(view, since);
      const { rows } = await loadActivityPage(query, { pageNumber: 1, pageSize: PAGE_SIZE }, signal);
      return mergeNewRows(client.getQueryData<NewRows>(queryKey) ?? NO_NEW_ROWS, rows, since, PAGE_SIZE);
    },
    enabled: enabled && isSignedIn,
    refetchInterval: live ? LIVE_INTERVAL_MS : IDLE_INTERVAL_MS,
    // A report that was just opened has no new rows; the first poll follows after the interval.
    initialData: NO_NEW_ROWS,
    staleTime: live ? 0 : IDLE_INTERVAL_MS,
    gcTime: 0,
    structuralSharing: false,
  });
  return { ...data, asOf: dataUpdatedAt };
}

/** Announces the number of added rows to screen readers. */
function useNewRowsAnnouncement(rowCount: number, live: boolean): void {
  const announced = useRef({ at: 0, rows: 0 });
  useEffect(() => {
    if (!live || rowCount < announced.current.rows) {
      announced.current = { at: announced.current.at, rows: rowCount };
      return undefined;
    }
    const added = rowCount - announced.current.rows;
    if (added === 0) return undefined;
    const delay = Math.max(0, announced.current.at + ANNOUNCE_INTERVAL_MS - Date.now());
    const timer = setTimeout(() => {
      announced.current = { at: Date.now(), rows: rowCount };
      announce(pluralize(added, 'new row', 'new rows'));
    }, delay);
    return () => clearTimeout(timer);
  }, [rowCount, live]);
}

/**
 * The rows added since the report was opened. While `live`, they are shown immediately, unless the user is reading; then
 * they wait for `showWaiting`.
 */
function useLiveRows(options: NewRowsOptions & { isReading: boolean }) {
  const { since, live, isReading } = options;
  const { rows, hasGap, asOf } = useNewRows({ ...options, enabled: since !== undefined });
  const [state, setState] = useState<{ since: number | undefined; rows: readonly ActivityRow[] }>({
    since,
    rows: [],
  });
  const isStreaming = live && !isReading && !hasGap;
  const shownRows = state.since === since ? state.rows : [];
  const visibleRows = isStreaming ? rows : shownRows;
  if (state.since !== since || (isStreaming && state.rows !== rows)) setState({ since, rows: visibleRows });
  useNewRowsAnnouncement(visibleRows.length, live);
  return {
    visibleRows,
    /** Time of the last poll while new rows are shown immediately. */
    asOf: isStreaming ? asOf : undefined,
    /** Number of rows that are not shown yet. */
    waitingCount: rows.length - visibleRows.length,
    hasGap,
    showWaiting: () => setState({ since, rows }),
  };
}
