import { useQueryClient } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { Activity } from 'lucide-react';
import { useMemo, useRef, useState } from 'react';
import { ACTIVITY_DAYS } from '../../../../contract/rules/activity.ts';
import { ServiceError } from '../../../api/errors.ts';
import { useAllowed, useSession } from '../../../api/session.ts';
import { counted } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { ActivityActions } from './-ActivityActions.tsx';
import { ActivityBar } from './-ActivityBar.tsx';
import { ActivityChart } from './-ActivityChart.tsx';
import { useChartShown } from './-chart-shown.ts';
import { serverNow } from './-clock.ts';
import { COLUMNS } from './-columns.tsx';
import { useActivity, useSummary } from './-data.ts';
import { besideControls } from './-errors.ts';
import { useHiddenColumns } from './-hidden-columns.ts';
import { dayOf } from './-moments.ts';
import { NewRows } from './-NewRows.tsx';
import { underNewer } from './-paged.ts';
import { questionOf } from './-question.ts';
import { DEFAULT_PRESET } from './-presets.ts';
import { boundsOf, reachOf } from './-range.ts';
import { activityId, rowLabel } from './-row.ts';
import { useRowMenu } from './-row-menu.ts';
import { useTail } from './-use-newer.ts';
import { useView } from './-use-view.ts';
import { cleared, isNarrowed } from './-view.ts';
import type { ActivityView } from './-view.ts';
import { rangeWords } from './-words.ts';
import { readerZone, zoneWords } from './-zone.ts';
import './-activity.css';

/** The report of what people did, up to the moment at which it was opened; what came since waits, or joins it live. */
export function ActivityPage() {
  const { allowed, reason } = useAllowed('queryUserActivity');
  if (!allowed) throw new ServiceError(403, reason);
  return <Report />;
}

function usePinned() {
  const client = useQueryClient();
  const [pinned, setPinned] = useState(() => serverNow(client));
  return { pinned, pinNow: () => setPinned(serverNow(client)) };
}

function useReport(view: ActivityView, pinned: number) {
  const zone = readerZone();
  const bounds = useMemo(() => boundsOf(view.range, pinned, zone), [view.range, pinned, zone]);
  const question = useMemo(() => questionOf(view, bounds, pinned), [view, bounds, pinned]);
  const { from, to } = question;
  // The first day of the report is told whole (./-question.ts).
  const range = to === bounds.to ? view.range : { from, to };
  return { zone, question, range, bounds: { ...bounds, from, to }, ...useActivity(question) };
}

/** Whether somebody reads further down, or stands on a row: then nothing may move under them. */
function useHeld() {
  const [away, setAway] = useState(false);
  const [inside, setInside] = useState(false);
  return { held: away || inside, setAway, setInside };
}

function Report() {
  const { view, show } = useView();
  const { pinned, pinNow } = usePinned();
  const [live, setLive] = useState(false);
  const { held, setAway, setInside } = useHeld();
  const place = useRef<HTMLDivElement>(null);
  const { zone, question, range, bounds, rows, stale, isFetching, error, refetch } = useReport(view, pinned);
  const summary = useSummary(question);
  const chart = useChartShown();
  const hidden = useHiddenColumns();
  const rowMenu = useRowMenu(view, show);
  const tail = useTail({ view, since: bounds.open ? bounds.to : undefined, live, held });
  const all = useMemo(() => rows && underNewer(tail.shown, rows), [rows, tail.shown]);
  const showNew = () => {
    place.current?.querySelector('.tbl-scroll')?.scrollTo({ top: 0 });
    if (live && !tail.gap) tail.letIn();
    else pinNow();
  };
  const counts = summary.summary?.counts;
  const countOf = (type: number) =>
    (counts ?? []).reduce((sum, one) => sum + (one.activityTypeId === type ? one.count : 0), 0);
  return (
    <Page
      fill
      title="Activity"
      meta={all && `${counted(all.length, 'row', 'rows')} · ${rangeWords(range, pinned, zone)}`}
      actions={<ActivityActions {...{ view, bounds, question, pinned }} total={all?.length} />}
    >
      <ActivityBar
        {...{ view, show, error, hidden, pinned, zone, live }}
        countOf={counts && view.types.length === 0 ? countOf : undefined}
        // What is over gets no new rows.
        onLive={bounds.open ? setLive : undefined}
        asOf={tail.asOf ?? pinned}
        refreshing={isFetching}
        onRefresh={pinNow}
      />
      {chart && <ActivityChart {...summary} {...{ view, show, bounds }} now={pinned} />}
      <div
        ref={place}
        className="act-rows"
        onFocus={({ target }) => setInside(target.closest('tbody') !== null)}
        onBlur={({ currentTarget, relatedTarget }) => {
          if (!currentTarget.contains(relatedTarget)) setInside(false);
        }}
      >
        <NewRows {...{ live, held }} waiting={tail.waiting} gap={tail.gap} onShow={showNew} />
        <DataTable
          label="Activity"
          columns={COLUMNS}
          rows={all}
          rowId={activityId}
          rowLabel={rowLabel}
          rowMenu={rowMenu}
          hidden={hidden}
          refetching={stale || (isFetching && error !== undefined)}
          error={besideControls(error)}
          {...(error?.status !== 400 && { onRetry: refetch })}
          onAway={setAway}
          empty={<NothingYet view={view} show={show} />}
          onClearFilters={isNarrowed(view) ? () => show(cleared(view)) : undefined}
          footer={
            all && (
              <>
                <span>Times are in {zoneWords(zone, pinned)}</span>
                <span>
                  Activity is kept {ACTIVITY_DAYS} days: the report reaches back to {dayOf(reachOf(pinned))}
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

/** A period in which nobody did anything. */
function NothingYet({ view, show }: { view: ActivityView; show: (view: ActivityView) => void }) {
  const { site } = useSession();
  const widest = 'preset' in view.range && view.range.preset === '90';
  return (
    <EmptyState
      icon={Activity}
      title={widest ? `Nothing has happened on ${site.name} yet` : 'Nothing happened in this period'}
      actions={
        widest ? undefined : (
          <Button onClick={() => show({ ...view, range: { preset: '90' } })}>
            {'preset' in view.range && view.range.preset === DEFAULT_PRESET
              ? 'Show the last 90 days'
              : 'Show everything there is'}
          </Button>
        )
      }
    >
      Sign-ins, sign-outs, exports and work through a proxy are told here for 90 days.
    </EmptyState>
  );
}
