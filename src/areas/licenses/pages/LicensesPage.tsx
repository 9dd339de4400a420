import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { useRouter, getRouteApi } from '@tanstack/react-router';
import { BadgeCheck, ChartColumnStacked, History, UserRound } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { LicenseSeats, SeatTotal } from '../../../../contract/generated/types.gen.ts';
import { getLicenseName, licenseTypes } from '../../../../contract/rules/people/licenses.ts';
import { toServiceError, UnknownOutcomeError } from '../../../api/errors.ts';
import {
  forecastLicenseSeatsOptions,
  listLicenseSeatsOptions,
  listSeatTotalsOptions,
} from '../../../api/generated/queries/licenses.gen.ts';
import { usePermission, useSession } from '../../../api/session.ts';
import { PagedListAge } from '../../../app/freshness/DataAge.tsx';
import { TableViews } from '../../../app/views/TableViews.tsx';
import { useDirectory, useDirectorySearch, usePeopleById } from '../../../directory/directory.ts';
import type { Directory } from '../../../directory/directory.ts';
import type { FacetCounts } from '../../../directory/engine/directory-query.ts';
import { SORT_KEYS } from '../../../directory/engine/directory-query.ts';
import type { DirectoryRow } from '../../../directory/engine/row.ts';
import { formatDifference, formatNumber, pluralize } from '../../../lib/numbers.ts';
import { endSentence } from '../../../lib/text/sentences.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { StatTile, StatTiles } from '../../../ui/chart/StatTiles.tsx';
import { subtractDays } from '../../../ui/chart/time-series.ts';
import type { TimeSeries } from '../../../ui/chart/time-series.ts';
import { TimeChart } from '../../../ui/chart/TimeChart.tsx';
import { cx } from '../../../ui/cx.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { RequestId, ErrorState } from '../../../ui/feedback/ErrorState.tsx';
import { SearchField } from '../../../ui/form/SearchField.tsx';
import { SegmentedControl } from '../../../ui/form/SegmentedControl.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import type { MenuItems } from '../../../ui/menu/menu-items.ts';
import type { RowId } from '../../../ui/table/columns.ts';
import { getSortProps } from '../../../ui/table/columns.ts';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { FilterChip } from '../../../ui/table/filter/FilterChips.tsx';
import { FilterSentence } from '../../../ui/table/filter/FilterSentence.tsx';
import { TableBar, TableTools } from '../../../ui/table/TableBar.tsx';
import { useDebouncedView } from '../../../ui/table/use-debounced-search.ts';
import { saveTableLayout, useArrangedColumns, useTableLayout } from '../../../ui/table/use-table-layout.ts';
import { SMALL_SCREEN, useMedia } from '../../../ui/use-media.ts';
import { formatForecast, getForecastDays } from '../model/forecast.ts';
import {
  isFiltered,
  toDirectoryQuery,
  clearFilters,
  RANGES,
  parseLicensesView,
  getFilterCounts,
  serializeLicensesView,
} from '../model/view.ts';
import type { Range, LicenseFilter } from '../model/view.ts';
import { COLUMNS } from './columns.tsx';
import { LicenseChanges, useRefusedChanges } from './LicenseChanges.tsx';
import { LicensesBulk } from './LicensesBulk.tsx';
import './licenses.css';

const NO_SELECTION: ReadonlySet<RowId> = new Set();
const ALL_TYPES = [1, 2, 3, 4];
const getId = ({ id }: DirectoryRow) => id;
const getName = ({ name }: DirectoryRow) => name;

/** Seats with their history, and all users with their licenses, editable in the row. */
export function LicensesPage() {
  const { site } = useSession();
  const { reason } = usePermission('updateUserLicense');
  const directory = useDirectory();
  const { complete, refreshing, error, refresh } = directory;
  const { view, show, type, settle } = useLicensesView();
  const seats = useSeats(view.range);
  const totals = useSeatTotals();
  const columns = useArrangedColumns(COLUMNS, useTableLayout('licenses'));
  const [selection, setSelection] = useState(NO_SELECTION);
  // A phone shows the list first.
  const small = useMedia(SMALL_SCREEN);
  const [areSeatsOpen, setSeatsOpen] = useState(false);
  const showsSeats = !small || areSeatsOpen;
  const rowMenu = useRowMenu();
  const query = useMemo(() => toDirectoryQuery(view), [view]);
  const result = useDirectorySearch(query);

  return (
    <LicenseChanges>
      {reason !== undefined && (
        <Banner title="You can view this page but not change anything">{reason}.</Banner>
      )}
      {showsSeats && (
        <>
          <SeatTiles seats={seats.seats} totals={totals} />
          <SeatChart {...seats} range={view.range} onRange={(range) => show({ ...view, range })} />
        </>
      )}
      <LicensesBar
        {...{ view, show, type, settle, directory }}
        counts={result?.counts}
        matchCount={result?.ids.length}
        onSeats={small ? () => setSeatsOpen(!showsSeats) : undefined}
        {...{ showsSeats }}
      />
      <RefusedChanges />
      <DataTable
        label="Licenses"
        columns={columns}
        rows={result?.rows}
        rowId={getId}
        rowLabel={getName}
        rowMenu={rowMenu}
        hidden={view.hidden}
        {...getSortProps(view, show, SORT_KEYS)}
        selection={selection}
        onSelect={setSelection}
        refetching={refreshing && complete}
        error={error}
        onRetry={refresh}
        empty={
          <EmptyState icon={BadgeCheck} title={`Nobody is on ${site.name} yet`}>
            Licenses of all people on the site are shown here.
          </EmptyState>
        }
        onClearFilters={isFiltered(view) ? () => show(clearFilters(view)) : undefined}
      />
      {result && (
        <LicensesBulk ids={result.ids} selection={selection} onSelect={setSelection} types={ALL_TYPES} />
      )}
    </LicenseChanges>
  );
}

/** Row menu: license history, user. */
function useRowMenu(): (row: DirectoryRow) => MenuItems {
  const router = useRouter();
  return ({ id: userId }) => [
    {
      label: 'License history',
      icon: History,
      onSelect: () => void router.navigate({ to: '/users/$userId/license', params: { userId } }),
    },
    {
      label: 'Open user',
      icon: UserRound,
      onSelect: () => void router.navigate({ to: '/users/$userId', params: { userId } }),
    },
  ];
}

/** Full errors of refused changes, which rows show only briefly. */
function RefusedChanges() {
  const { refused, choose, discard } = useRefusedChanges();
  const key = refused.map(({ userId }) => userId).join(' ');
  const people = usePeopleById(useMemo(() => (key === '' ? [] : key.split(' ').map(Number)), [key]));
  if (refused.length === 0) return null;
  const isUnknown = refused.some(({ error }) => error instanceof UnknownOutcomeError);
  const title = isUnknown
    ? `${pluralize(refused.length, 'license', 'licenses')} may not have been changed`
    : `${pluralize(refused.length, 'license was', 'licenses were')} not changed`;
  return (
    <Banner tone="bad" title={title}>
      <ul className="lic-refusals">
        {refused.map(({ userId, to, error }) => {
          const row = people.get(userId);
          const name = row?.name ?? `User ${userId}`;
          return (
            <li key={userId}>
              <span>
                {name}, {getLicenseName(to)}: {error.message}
                {error.requestId !== undefined && <RequestId id={error.requestId} />}
              </span>
              {row && (
                <Button size="small" aria-label={`Try again for ${name}`} onClick={() => choose(row, to)}>
                  Try again
                </Button>
              )}
              <Button size="small" aria-label={`Discard for ${name}`} onClick={() => discard(userId)}>
                Discard
              </Button>
            </li>
          );
        })}
      </ul>
    </Banner>
  );
}

const RANGE_OPTIONS = RANGES.map((value) => ({ value, label: `${value} days` }));

interface SeatChartProps extends ReturnType<typeof useSeats> {
  range: Range;
  onRange: (range: Range) => void;
}

/** Seats by day and license type. */
function SeatChart(props: SeatChartProps) {
  const { range, onRange, drawn, forecastCount, forecastText, stale, error, refetch, isFetching } = props;
  return (
    <Card
      title="Licenses by day"
      actions={<SegmentedControl label="Period" options={RANGE_OPTIONS} value={range} onChange={onRange} />}
    >
      {drawn && drawn.days.length > 0 && (
        <div className={cx(stale && 'lic-stale')} aria-busy={stale}>
          <TimeChart
            label="Licenses by day"
            total={BILLABLE}
            steps={drawn.days}
            series={drawn.series}
            forecastCount={forecastCount}
          />
          <p className="lic-forecast">{forecastText}</p>
        </div>
      )}
      {drawn?.days.length === 0 && <CardBody>No data yet.</CardBody>}
      {!drawn && !error && <div className="lic-chart-wait" />}
      {!drawn && error && (
        <div>
          <ErrorState
            title="The chart could not be loaded"
            onRetry={refetch}
            retrying={isFetching}
            requestId={error.requestId}
          >
            {endSentence(error.message)} The numbers and the list are not affected.
          </ErrorState>
        </div>
      )}
    </Card>
  );
}

const ALL_USERS_QUERY = toDirectoryQuery(parseLicensesView({}));

interface SeatTilesProps {
  /** Seats by day, if known. */
  seats: readonly LicenseSeats[] | undefined;
  /** Agreed seats by license type; a type without a limit is absent. */
  totals: ReadonlyMap<number, number>;
}

/** Current seats, from the directory so that they agree with the list below, and those that are agreed with the site. */
function SeatTiles({ seats, totals }: SeatTilesProps) {
  const { billable, complete } = useDirectory();
  const result = useDirectorySearch(ALL_USERS_QUERY);
  const today = seats?.at(-1);
  // Until all users are loaded, the service's count of today is shown.
  const billableCount = complete ? billable : today?.billable;
  const before = seats && getBillableMonthAgo(seats);
  const todaySeries = today && toTimeSeries([today]).series;
  const getHeld = (licenseTypeId: number, at: number) =>
    complete ? (result?.counts.license[licenseTypeId] ?? 0) : todaySeries?.[at]?.values[0];
  const exceeded = licenseTypes.flatMap(({ licenseTypeId, description }, at) => {
    const [held, total] = [getHeld(licenseTypeId, at), totals.get(licenseTypeId)];
    return held !== undefined && total !== undefined && held > total
      ? [`${description}: ${formatNumber(held)} held, ${formatNumber(total)} agreed`]
      : [];
  });
  return (
    <>
      {exceeded.length > 0 && (
        <Banner tone="warn" title="More licenses are held than agreed">
          {exceeded.join('. ')}. Nobody loses a license. Release some, or ask a platform administrator for
          more.
        </Banner>
      )}
      <StatTiles>
        <StatTile
          label="Billable"
          value={billableCount === undefined ? undefined : formatNumber(billableCount)}
          note={
            billableCount !== undefined && before !== undefined
              ? formatTrend(billableCount - before)
              : undefined
          }
        />
        {licenseTypes.map(({ licenseTypeId, description, isBillable }, at) => {
          const now = getHeld(licenseTypeId, at);
          return (
            <StatTile
              key={licenseTypeId}
              label={description}
              tone={TONES[at]}
              value={now === undefined ? undefined : formatNumber(now)}
              note={
                <>
                  {isBillable ? 'billable' : 'not billable'}
                  {now !== undefined && <Agreed held={now} total={totals.get(licenseTypeId)} />}
                </>
              }
            />
          );
        })}
      </StatTiles>
    </>
  );
}

/** Free seats of the agreed ones, or how many more are held; nothing where there is no limit. */
function Agreed({ held, total }: { held: number; total: number | undefined }) {
  if (total === undefined) return null;
  const free = total - held;
  return (
    <span className="lic-agreed num">
      {free < 0 ? (
        <Badge tone="warn">
          {formatNumber(-free)} over {formatNumber(total)}
        </Badge>
      ) : (
        `${formatNumber(free)} free of ${formatNumber(total)}`
      )}
    </span>
  );
}

const formatTrend = (change: number): string =>
  change === 0 ? 'as 30 days ago' : `${formatDifference(change)} in 30 days`;

/** Properties of a day, in the order of license types. */
const SEAT_KEYS = ['standard', 'limited', 'free', 'none'] as const;
/** Colors of the license types. */
const TONES = [1, 2, 3, 4] as const;

/** Billable types come first (spec 2.2): the lower part of the stack. */
const BILLABLE = { label: 'Billable', of: licenseTypes.filter(({ isBillable }) => isBillable).length };

const getToday = () => new Date().toISOString().slice(0, 10);

/** Seats by day, from `range` days ago to today. */
const seatsQuery = (range: Range) =>
  queryOptions({
    ...listLicenseSeatsOptions({ query: { dateFrom: subtractDays(getToday(), range) } }),
    placeholderData: keepPreviousData,
  });

/** Days and series of the chart. */
function toTimeSeries(seats: readonly LicenseSeats[]): { days: string[]; series: TimeSeries[] } {
  return {
    days: seats.map(({ date }) => date),
    series: SEAT_KEYS.map((key, at) => ({
      label: licenseTypes[at]?.description ?? key,
      values: seats.map((day) => day[key]),
      tone: TONES[at] ?? 1,
    })),
  };
}

const NO_FORECAST: readonly LicenseSeats[] = [];
const NO_TOTALS: readonly SeatTotal[] = [];

/** The agreed seats by license type, if the user may see them; types without a limit are absent. */
function useSeatTotals(): ReadonlyMap<number, number> {
  const { allowed } = usePermission('listSeatTotals');
  const { data = NO_TOTALS } = useQuery({ ...listSeatTotalsOptions(), enabled: allowed });
  return useMemo(
    () =>
      new Map(
        data.flatMap(({ licenseTypeId, total }) => (total === null ? [] : [[licenseTypeId, total] as const])),
      ),
    [data],
  );
}

/** Number of seats by day with their forecast, if the user may see it. */
function useSeats(range: Range) {
  const { allowed } = usePermission('listLicenseSeats');
  const { data, error, isFetching, refetch, isPlaceholderData } = useQuery({
    ...seatsQuery(range),
    enabled: allowed,
  });
  const { data: forecast } = useQuery({
    ...forecastLicenseSeatsOptions({ query: { days: getForecastDays(range) } }),
    placeholderData: keepPreviousData,
    enabled: allowed,
  });
  const now = data?.at(-1);
  const forecastText = now && forecast && formatForecast(now, forecast);
  // Without an end that comes it would only repeat today.
  const drawnForecast = now && forecast?.some(({ none }) => none !== now.none) ? forecast : NO_FORECAST;
  const chart = useMemo(() => data && toTimeSeries([...data, ...drawnForecast]), [data, drawnForecast]);
  return {
    seats: data,
    drawn: chart,
    forecastCount: drawnForecast.length,
    forecastText,
    stale: isPlaceholderData,
    error: error === null ? undefined : toServiceError(error),
    refetch: () => void refetch(),
    isFetching,
  };
}

const COMPARISON_DAYS = 30;

/** Billable licenses 30 days ago; undefined if the data does not reach back that far. */
function getBillableMonthAgo(seats: readonly LicenseSeats[]): number | undefined {
  const last = seats.at(-1);
  const day = last && subtractDays(last.date, COMPARISON_DAYS);
  return seats.find(({ date }) => date === day)?.billable;
}

const LICENSE_OPTIONS = licenseTypes.map(({ licenseTypeId, description }) => ({
  value: String(licenseTypeId),
  label: description,
}));
const BILLABLE_OPTIONS = [
  { value: 'yes', label: 'Billable' },
  { value: 'no', label: 'Not billable' },
];
const STATUS_OPTIONS = [
  { value: 'active', label: 'Active' },
  { value: 'inactive', label: 'Inactive' },
  { value: 'locked', label: 'Locked' },
];

interface LicensesBarProps extends ReturnType<typeof useLicensesView> {
  directory: Directory;
  counts: FacetCounts | undefined;
  matchCount: number | undefined;
  /** Whether the seats are shown above the list. */
  showsSeats: boolean;
  /** Shows or hides them; undefined where they are always shown. */
  onSeats: (() => void) | undefined;
}

/** Search and filters with their counts, freshness of the list, columns. */
function LicensesBar(props: LicensesBarProps) {
  const { view, show, type, settle, directory, counts, matchCount, showsSeats, onSeats } = props;
  const filterCounts = counts && getFilterCounts(view, counts);
  const groups = directory.groups
    .map(({ id, name }) => ({ value: String(id), label: name }))
    .toSorted((a, b) => a.label.localeCompare(b.label));
  const chips: { key: LicenseFilter; label: string; options: readonly { value: string; label: string }[] }[] =
    [
      { key: 'license', label: 'License', options: LICENSE_OPTIONS },
      { key: 'billable', label: 'Billable', options: BILLABLE_OPTIONS },
      { key: 'status', label: 'Status', options: STATUS_OPTIONS },
      { key: 'group', label: 'Group', options: groups },
    ];
  return (
    <TableBar tools={<Tools {...{ view, show, directory }} />}>
      {/* The address keeps the hidden columns. */}
      <TableViews table="licenses" hidden={view.hidden} onHide={() => undefined} />
      <SearchField
        label="Search people"
        placeholder="Name, e-mail or id"
        value={view.q}
        onChange={type}
        onBlur={settle}
      />
      <FilterSentence
        clauses={chips.map(({ key, label, options }) => ({
          label,
          isActive: view[key].length > 0,
          chip: (
            <FilterChip
              label={label}
              options={options.map((option) => ({
                ...option,
                count: filterCounts?.[key][option.value] ?? 0,
              }))}
              value={view[key]}
              onChange={(value) => show({ ...view, [key]: value })}
            />
          ),
        }))}
        matchCount={matchCount}
        onClear={isFiltered(view) ? () => show(clearFilters(view)) : undefined}
      />
      {onSeats && (
        <Button size="small" icon={ChartColumnStacked} aria-expanded={showsSeats} onClick={onSeats}>
          Seats by license and day
        </Button>
      )}
    </TableBar>
  );
}

function Tools({ view, show, directory }: Pick<LicensesBarProps, 'view' | 'show' | 'directory'>) {
  const layout = useTableLayout('licenses');
  return (
    <>
      <PagedListAge list={directory} />
      <TableTools
        columns={COLUMNS}
        layout={layout}
        onLayout={(next) => saveTableLayout('licenses', next)}
        hidden={view.hidden}
        onHide={(hidden) => show({ ...view, hidden })}
        {...getSortProps(view, show, SORT_KEYS)}
      />
    </>
  );
}

const route = getRouteApi('/_app/licenses/');

/** View of the page from the URL, debounced while typing. */
function useLicensesView() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const urlView = useMemo(() => parseLicensesView({ ...search }), [search]);
  return useDebouncedView({
    view: urlView,
    // Chart and list keep their scroll position.
    write: (view, replace) =>
      navigate({ to: '.', search: serializeLicensesView(view), replace, resetScroll: false }),
  });
}
