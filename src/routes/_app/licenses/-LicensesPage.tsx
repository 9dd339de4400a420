import { useRouter } from '@tanstack/react-router';
import { BadgeCheck, History, UserRound } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useAllowed, useSession } from '../../../api/session.ts';
import { useDirectory, useFound } from '../../../directory/directory.ts';
import type { DirectoryRow } from '../../../directory/row.ts';
import { SORT_KEYS } from '../../../directory/search.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import type { MenuItems } from '../../../ui/menu/menu-items.ts';
import type { RowId } from '../../../ui/table/columns.ts';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { fromSort, toSort } from '../-sort.ts';
import { LicenseChanges } from './-changes.tsx';
import { COLUMNS } from './-columns.tsx';
import { LicensesBar } from './-LicensesBar.tsx';
import { LicensesBulk } from './-LicensesBulk.tsx';
import { Refusals } from './-Refusals.tsx';
import { SeatChart } from './-SeatChart.tsx';
import { useSeats } from './-seats.ts';
import { SeatTiles } from './-SeatTiles.tsx';
import { useView } from './-use-view.ts';
import { isNarrowed, toQuery, widened } from './-view.ts';
import './-licenses.css';

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
