import { useRouter } from '@tanstack/react-router';
import { BadgeCheck, History, UserRound } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useAllowed, useSession } from '../../../api/session.ts';
import { useDirectory, useFound, usePeople } from '../../../directory/directory.ts';
import type { DirectoryRow } from '../../../directory/row.ts';
import { SORT_KEYS } from '../../../directory/search.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import type { MenuItems } from '../../../ui/menu/menu-items.ts';
import type { RowId } from '../../../ui/table/columns.ts';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { fromSort, toSort } from '../../../ui/table/sort.ts';
import { LicenseChanges, useRefusals } from './changes.tsx';
import { COLUMNS } from './columns.tsx';
import { LicensesBar } from './LicensesBar.tsx';
import { LicensesBulk } from './LicensesBulk.tsx';
import { useSeats, BILLABLE, billableBefore, seriesOf, TONES } from '../model/seats.ts';
import { useView } from './use-view.ts';
import { isNarrowed, toQuery, widened, RANGES, readView } from '../model/view.ts';
import { licenseName, licenseTypes } from '../../../../contract/rules/licenses.ts';
import { counted, count } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { RequestId } from '../../../ui/feedback/RequestId.tsx';
import { Choice } from '../../../ui/chart/Choice.tsx';
import { TimeChart } from '../../../ui/chart/TimeChart.tsx';
import { cx } from '../../../ui/cx.ts';
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import type { Range } from '../model/view.ts';
import type { LicenseSeats } from '../../../api/generated/types.gen.ts';
import { StatTile, StatTiles } from '../../../ui/chart/StatTiles.tsx';
import { difference } from '../model/billable-effect.ts';
import './licenses.css';

const NOBODY: ReadonlySet<RowId> = new Set();
const ALL_TYPES = [1, 2, 3, 4];
const idOf = ({ id }: DirectoryRow) => id;
const nameOf = ({ name }: DirectoryRow) => name;

/** Seats and their history, then everybody with their license, which can be changed in the row. */
export function LicensesPage() {
  const { site } = useSession();
  const { reason } = useAllowed('updateUserLicense');
  const directory = useDirectory();
  const { complete, refreshing, error, refresh } = directory;
  const { view, show, type, settle } = useView();
  const seats = useSeats(view.range);
  const [selection, setSelection] = useState(NOBODY);
  const rowMenu = useRowMenu();
  const query = useMemo(() => toQuery(view), [view]);
  const found = useFound(query);

  return (
    <LicenseChanges>
      {reason !== undefined && <Banner title="You can look here, but not change anything">{reason}.</Banner>}
      <SeatTiles seats={seats.seats} />
      <SeatChart {...seats} range={view.range} onRange={(range) => show({ ...view, range })} />
      <LicensesBar {...{ view, show, type, settle, directory }} counts={found?.counts} />
      <Refusals />
      <DataTable
        label="Licenses"
        columns={COLUMNS}
        rows={found?.rows}
        rowId={idOf}
        rowLabel={nameOf}
        rowMenu={rowMenu}
        hidden={view.hidden}
        sort={toSort(view.sort)}
        onSort={(sort) => show({ ...view, sort: fromSort(sort, SORT_KEYS) })}
        selection={selection}
        onSelect={setSelection}
        refetching={refreshing && complete}
        error={error}
        onRetry={refresh}
        empty={
          <EmptyState icon={BadgeCheck} title={`Nobody is on ${site.name} yet`}>
            Everybody who comes to the site gets a license, and it is shown here.
          </EmptyState>
        }
        onClearFilters={isNarrowed(view) ? () => show(widened(view)) : undefined}
      />
      {found && (
        <LicensesBulk ids={found.ids} selection={selection} onSelect={setSelection} types={ALL_TYPES} />
      )}
    </LicenseChanges>
  );
}

/** Where more about somebody's license is found. */
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

/** The reasons of the rows that are marked "Not changed", in full: a row has one line for everything. */
function Refusals() {
  const { refused, choose, discard } = useRefusals();
  const key = refused.map(({ userId }) => userId).join(' ');
  const people = usePeople(useMemo(() => (key === '' ? [] : key.split(' ').map(Number)), [key]));
  if (refused.length === 0) return null;
  return (
    <Banner tone="bad" title={`${counted(refused.length, 'license was', 'licenses were')} not changed`}>
      <ul className="lic-refusals">
        {refused.map(({ userId, to, error }) => {
          const row = people.get(userId);
          const name = row?.name ?? `User ${userId}`;
          return (
            <li key={userId}>
              <span>
                {name}, {licenseName(to)}: {error.message}
                {error.requestId !== undefined && <RequestId id={error.requestId} />}
              </span>
              {row && (
                <Button size="small" aria-label={`Try again for ${name}`} onClick={() => choose(row, to)}>
                  Try again
                </Button>
              )}
              <Button size="small" aria-label={`Give up for ${name}`} onClick={() => discard(userId)}>
                Give up
              </Button>
            </li>
          );
        })}
      </ul>
    </Banner>
  );
}

const OPTIONS = RANGES.map((value) => ({ value, label: `${value} days` }));

interface SeatChartProps extends ReturnType<typeof useSeats> {
  range: Range;
  onRange: (range: Range) => void;
}

/** How the seats have changed, by day and type. */
function SeatChart({ range, onRange, drawn, stale, error, refetch, isFetching }: SeatChartProps) {
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

const EVERYBODY = toQuery(readView({}));

interface SeatTilesProps {
  /** By day, where they are known. */
  seats: readonly LicenseSeats[] | undefined;
}

/** What is billed and who holds what, now: from the directory, so that the tiles agree with the list under them. */
function SeatTiles({ seats }: SeatTilesProps) {
  const { billable, complete } = useDirectory();
  const found = useFound(EVERYBODY);
  const today = seats?.at(-1);
  // Until everybody has been read, the service's own count of today stands in.
  const billed = complete ? billable : today?.billable;
  const before = seats && billableBefore(seats);
  const shares = today && seriesOf([today]).series;
  return (
    <StatTiles>
      <StatTile
        label="Billable"
        value={billed === undefined ? undefined : count(billed)}
        note={billed !== undefined && before !== undefined ? against(billed - before) : undefined}
      />
      {licenseTypes.map(({ licenseTypeId, description, isBillable }, at) => {
        const now = complete ? (found?.counts.license[licenseTypeId] ?? 0) : shares?.[at]?.values[0];
        return (
          <StatTile
            key={licenseTypeId}
            label={description}
            tone={TONES[at]}
            value={now === undefined ? undefined : count(now)}
            note={isBillable ? 'billable' : 'not billable'}
          />
        );
      })}
    </StatTiles>
  );
}

const against = (change: number): string =>
  change === 0 ? 'as 30 days ago' : `${difference(change)} in 30 days`;
