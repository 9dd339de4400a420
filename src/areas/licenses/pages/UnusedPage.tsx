import { getRouteApi } from '@tanstack/react-router';
import { BadgeCheck } from 'lucide-react';
import { useState } from 'react';
import { NO_LICENSE, licenseName } from '../../../../contract/rules/licenses.ts';
import { useAllowed } from '../../../api/session.ts';
import { counted } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Choice } from '../../../ui/chart/Choice.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import type { RowId, Column } from '../../../ui/table/columns.ts';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { TableBar } from '../../../ui/table/TableBar.tsx';
import { LicensesBulk } from './LicensesBulk.tsx';
import { readDays, UNUSED_DAYS, writeDays } from '../model/unused-view.ts';
import { unusedName, useUnused } from '../model/unused.ts';
import type { UnusedRow } from '../model/unused.ts';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Moment } from '../../../ui/layout/Moment.tsx';
import { PersonLink, StatusBadge } from '../../../directory/person-columns.tsx';
import './licenses.css';

const route = getRouteApi('/_app/licenses/unused');
const NOBODY: ReadonlySet<RowId> = new Set();
const OPTIONS = UNUSED_DAYS.map((value) => ({ value, label: `${value} days` }));
const FREE = 3;
const OFFERED = [FREE, NO_LICENSE];
const idOf = ({ userId }: UnusedRow) => userId;

/** Billable licenses whose holders do nothing here, so that nobody pays for them any longer. */
export function UnusedPage() {
  const days = readDays(route.useSearch());
  const navigate = route.useNavigate();
  const { reason } = useAllowed('updateUserLicense');
  const unused = useUnused(days);
  const { rows, ids, error, isRefetching } = unused;
  const [selection, setSelection] = useState(NOBODY);
  // Who is not in the list any longer must not be changed with those who are.
  const chosen = new Set(ids.filter((id) => selection.has(id)));
  const ask = (next: typeof days) => {
    setSelection(NOBODY);
    void navigate({ to: '.', search: writeDays(next), resetScroll: false });
  };
  return (
    <>
      {reason !== undefined && <Banner title="You can look here, but not change anything">{reason}.</Banner>}
      <p className="lic-note">
        Billable licenses of people who have been on this site for at least {days} days and did nothing here
        in all that time: no sign-in, no page opened, no call through the API or an add-in.
      </p>
      <TableBar>
        <span className="lic-ask" aria-hidden>
          Without activity for
        </span>
        <Choice label="Without activity for" options={OPTIONS} value={days} onChange={ask} />
      </TableBar>
      <DataTable
        label="Unused licenses"
        columns={UNUSED_COLUMNS}
        rows={rows}
        rowId={idOf}
        rowLabel={unusedName}
        selection={chosen}
        onSelect={setSelection}
        refetching={isRefetching}
        error={error}
        onRetry={unused.refetch}
        empty={
          <EmptyState icon={BadgeCheck} title="Every billable license is used">
            Everybody who has a billable license was active in the last {days} days, or is on this site for
            less.
          </EmptyState>
        }
        footer={rows && rows.length > 0 ? <Footer {...unused} /> : undefined}
      />
      {/* The footer of the table stays in reach under the bar. */}
      {chosen.size > 0 && <div className="lic-room" />}
      <LicensesBulk
        ids={unused.isComplete ? ids : undefined}
        selection={chosen}
        onSelect={setSelection}
        types={OFFERED}
      />
    </>
  );
}

type FooterProps = Pick<
  ReturnType<typeof useUnused>,
  'ids' | 'isComplete' | 'isReadingOn' | 'readOn' | 'readAll'
>;

/** How much of the list is there, and the rest of it. */
function Footer({ ids, isComplete, isReadingOn, readOn, readAll }: FooterProps) {
  const licenses = counted(ids.length, 'unused license', 'unused licenses');
  return (
    <>
      <output className="num">{isComplete ? licenses : `${licenses} so far`}</output>
      {!isComplete && (
        <span className="lic-more">
          <Button size="small" pending={isReadingOn} onClick={readOn}>
            Show more
          </Button>
          <Button size="small" pending={isReadingOn} onClick={readAll}>
            Show all
          </Button>
        </span>
      )}
    </>
  );
}

/** The columns of the unused licenses. */
const UNUSED_COLUMNS: readonly Column<UnusedRow>[] = [
  {
    id: 'name',
    header: 'Name',
    minWidth: 200,
    cell: (row, place) => (
      <PersonLink
        id={row.userId}
        name={unusedName(row)}
        to="/users/$userId/license"
        tabIndex={place.tabIndex}
      />
    ),
  },
  {
    id: 'email',
    header: 'E-mail',
    minWidth: 200,
    cell: ({ person }) => <span className="person-soft">{person?.email ?? '…'}</span>,
  },
  {
    id: 'license',
    header: 'License',
    width: 140,
    small: 'line',
    cell: ({ licenseTypeId }) => licenseName(licenseTypeId),
  },
  {
    id: 'status',
    header: 'Status',
    width: 90,
    cell: ({ person }) => person && <StatusBadge user={person} />,
  },
  {
    id: 'since',
    header: 'On this site since',
    align: 'end',
    width: 150,
    cell: ({ person }, place) => (person ? <Moment at={person.created} tabIndex={place.tabIndex} /> : '…'),
  },
  {
    id: 'last',
    header: 'Last activity',
    align: 'end',
    width: 130,
    small: 'aside',
    cell: ({ lastActivityDate: at }, place) =>
      at === null ? <Badge tone="warn">Never</Badge> : <Moment at={at} tabIndex={place.tabIndex} />,
  },
];
