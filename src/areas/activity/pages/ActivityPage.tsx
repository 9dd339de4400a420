import { useQueryClient, useQuery } from '@tanstack/react-query';
import { Outlet, useRouter } from '@tanstack/react-router';
import { Activity, ArrowUp, Pause, Crosshair, Globe, PanelRight, UserRound } from 'lucide-react';
import { useMemo, useRef, useState, useEffect } from 'react';
import { ACTIVITY_DAYS } from '../../../../contract/rules/activity.ts';
import { ServiceError } from '../../../api/errors.ts';
import { useAllowed, useSession } from '../../../api/session.ts';
import { counted, count } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { ActivityActions } from './ActivityActions.tsx';
import { ActivityBar } from './ActivityBar.tsx';
import { ActivityChart } from './ActivityChart.tsx';
import { useChartShown } from '../model/chart-shown.ts';
import { serverNow } from '../model/clock.ts';
import { COLUMNS, placeOf } from './columns.tsx';
import { useActivity, useSummary, PAGE, readActivity } from '../model/data.ts';
import { besideControls } from '../model/errors.ts';
import { useHiddenColumns } from '../model/hidden-columns.ts';
import { dayOf } from '../model/moments.ts';
import { underNewer } from '../model/paged.ts';
import { questionOf, questionSince } from '../model/question.ts';
import { DEFAULT_PRESET } from '../model/presets.ts';
import { boundsOf, reachOf } from '../model/range.ts';
import { activityId, rowLabel, actorOf, addressOf } from '../model/row.ts';
import { useView } from './use-view.ts';
import { cleared, isNarrowed, writeView } from '../model/view.ts';
import type { ActivityView } from '../model/view.ts';
import { rangeWords } from '../model/words.ts';
import { readerZone, zoneWords } from '../../../lib/site-zone.ts';
import type { MenuItems } from '../../../ui/menu/menu-items.ts';
import type { ActivityRow } from '../model/row.ts';
import { gate } from '../../../api/session-gate.ts';
import { announce } from '../../../ui/feedback/live.ts';
import { useStore } from '../../../ui/store.ts';
import { joined, NOTHING_NEWER } from '../model/tail.ts';
import type { Newer } from '../model/tail.ts';
import './activity.css';

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

interface NewRowsProps {
  live: boolean;
  /** Somebody is reading further down or is on a row. */
  held: boolean;
  waiting: number;
  /** More came than could be told apart. */
  gap: boolean;
  onShow: () => void;
}

/** What came since the report was opened and waits to be looked at. */
function NewRows({ live, held, waiting, gap, onShow }: NewRowsProps) {
  const paused = live && held;
  if (waiting === 0 && !paused) return null;
  return (
    <div className="act-new">
      {paused && (
        <span className="act-paused">
          <Pause />
          Live is paused while you read
        </span>
      )}
      {waiting > 0 && (
        <Button size="small" icon={ArrowUp} onClick={onShow}>
          {count(waiting)}
          {gap && '+'} new
        </Button>
      )}
    </div>
  );
}

/** What can be asked about a row. */
function useRowMenu(view: ActivityView, show: (view: ActivityView) => void) {
  const router = useRouter();
  return (row: ActivityRow): MenuItems => {
    const address = addressOf(row);
    const details = () =>
      void router.navigate({
        to: '/activity/$activityId',
        params: { activityId: row.activityId ?? 0 },
        search: { ...writeView(view), ...placeOf(row) },
      });
    return [
      { label: 'Details', hint: 'With what happened around it', icon: PanelRight, onSelect: details },
      'line',
      {
        label: 'Only this person',
        hint: actorOf(row),
        icon: Crosshair,
        onSelect: () => show({ ...view, people: [row.userId] }),
      },
      {
        label: 'Only this address',
        hint: address,
        icon: Globe,
        disabledReason: address === undefined ? 'No address is known' : undefined,
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

const LIVE = 4000;
const NOW_AND_THEN = 30_000;
// Whoever listens is not interrupted at every row.
const SAY_EVERY = 15_000;

interface NewerOptions {
  view: ActivityView;
  /** Where the report ends; undefined for a period that is over. */
  since: number | undefined;
  live: boolean;
}

/** What came since: asked for while the page is seen and somebody is signed in. */
function useNewer({ view, since = 0, live, ...rest }: NewerOptions & { on: boolean }) {
  const signedIn = useStore(gate) === 'open';
  const { range: _, ...filters } = view;
  const { data, dataUpdatedAt } = useQuery({
    queryKey: [{ _id: 'queryUserActivity', newer: filters, since }],
    async queryFn({ client, queryKey, signal }) {
      const query = questionSince(view, since);
      const { rows } = await readActivity(query, { pageNumber: 1, pageSize: PAGE }, signal);
      return joined(client.getQueryData<Newer>(queryKey) ?? NOTHING_NEWER, rows, since, PAGE);
    },
    enabled: rest.on && signedIn,
    refetchInterval: live ? LIVE : NOW_AND_THEN,
    // What a report ends with is there; the first look is due after a while.
    initialData: NOTHING_NEWER,
    staleTime: live ? 0 : NOW_AND_THEN,
    gcTime: 0,
    structuralSharing: false,
  });
  return { ...data, asOf: dataUpdatedAt };
}

/** Says now and then how many rows came. */
function useSaid(shown: number, live: boolean): void {
  const said = useRef({ at: 0, rows: 0 });
  useEffect(() => {
    if (!live || shown < said.current.rows) {
      said.current = { at: said.current.at, rows: shown };
      return undefined;
    }
    const more = shown - said.current.rows;
    if (more === 0) return undefined;
    const wait = Math.max(0, said.current.at + SAY_EVERY - Date.now());
    const timer = setTimeout(() => {
      said.current = { at: Date.now(), rows: shown };
      announce(counted(more, 'new row', 'new rows'));
    }, wait);
    return () => clearTimeout(timer);
  }, [shown, live]);
}

/**
 * The rows that came since the report was opened. While `live` they join it by themselves, unless somebody is reading
 * further down or is on a row: then they wait.
 */
function useTail(options: NewerOptions & { held: boolean }) {
  const { since, live, held } = options;
  const { rows, gap, asOf } = useNewer({ ...options, on: since !== undefined });
  const [kept, setKept] = useState<{ since: number | undefined; rows: readonly ActivityRow[] }>({
    since,
    rows: [],
  });
  const flowing = live && !held && !gap;
  const known = kept.since === since ? kept.rows : [];
  const shown = flowing ? rows : known;
  if (kept.since !== since || (flowing && kept.rows !== rows)) setKept({ since, rows: shown });
  useSaid(shown.length, live);
  return {
    shown,
    /** When it was looked last, while what came is shown at once. */
    asOf: flowing ? asOf : undefined,
    /** How many wait to be looked at. */
    waiting: rows.length - shown.length,
    gap,
    /** Shows those that wait. */
    letIn: () => setKept({ since, rows }),
  };
}
