import { getRouteApi } from '@tanstack/react-router';
import { BadgeCheck } from 'lucide-react';
import { useState } from 'react';
import { NO_LICENSE, getLicenseName } from '../../../../contract/rules/people/licenses.ts';
import { usePermission } from '../../../api/session.ts';
import { QueryAge } from '../../../app/freshness/DataAge.tsx';
import { ListTable } from '../../../app/views/ListTable.tsx';
import { PersonLink, StatusBadge } from '../../../directory/person-columns.tsx';
import { pluralize } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { ShowMoreButton } from '../../../ui/button/ShowMoreButton.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { SegmentedControl } from '../../../ui/form/SegmentedControl.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Timestamp } from '../../../ui/layout/Timestamp.tsx';
import type { RowId, Column } from '../../../ui/table/columns.ts';
import { parseUnusedDays, UNUSED_DAYS, serializeUnusedDays } from '../model/unused-days.ts';
import { formatUserName, useUnusedLicenses } from '../model/unused.ts';
import type { UnusedRow } from '../model/unused.ts';
import { LicensesBulk } from './LicensesBulk.tsx';
import './licenses.css';

const route = getRouteApi('/_app/licenses/unused');
const NO_SELECTION: ReadonlySet<RowId> = new Set();
const DAYS_OPTIONS = UNUSED_DAYS.map((value) => ({ value, label: `${value} days` }));
const FREE_LICENSE = 3;
const OFFERED_TYPES = [FREE_LICENSE, NO_LICENSE];
const getId = ({ userId }: UnusedRow) => userId;

/** Billable licenses of users without recent activity. */
export function UnusedPage() {
  const days = parseUnusedDays(route.useSearch());
  const navigate = route.useNavigate();
  const { reason } = usePermission('updateUserLicense');
  const unused = useUnusedLicenses(days);
  const { rows, ids, error, isRefetching } = unused;
  const [selection, setSelection] = useState(NO_SELECTION);
  // Users who left the list are not changed.
  const selectedIds = new Set(ids.filter((id) => selection.has(id)));
  const changeDays = (next: typeof days) => {
    setSelection(NO_SELECTION);
    void navigate({ to: '.', search: serializeUnusedDays(next), resetScroll: false });
  };
  return (
    <>
      {reason !== undefined && (
        <Banner title="You can view this page but not change anything">{reason}.</Banner>
      )}
      <ListTable
        table="unusedLicenses"
        tools={<QueryAge query={unused.query} />}
        filters={
          <>
            <span className="lic-ask" aria-hidden>
              Without activity for
            </span>
            <SegmentedControl
              label="Without activity for"
              options={DAYS_OPTIONS}
              value={days}
              onChange={changeDays}
            />
          </>
        }
        label="Unused licenses"
        columns={UNUSED_COLUMNS}
        rows={rows}
        rowId={getId}
        rowLabel={formatUserName}
        selection={selectedIds}
        onSelect={setSelection}
        refetching={isRefetching}
        error={error}
        onRetry={unused.refetch}
        empty={
          <EmptyState icon={BadgeCheck} title="Every billable license is used">
            Everyone with a billable license used the site in the last {days} days or joined later.
          </EmptyState>
        }
        footer={
          <>
            {rows && rows.length > 0 && <Footer {...unused} />}
            Without activity: on the site for that long without a sign-in, page view or call through the API
            or an add-in.
          </>
        }
      />
      {/* Keeps the footer of the table above the bar. */}
      {selectedIds.size > 0 && <div className="lic-room" />}
      <LicensesBulk
        ids={unused.isComplete ? ids : undefined}
        selection={selectedIds}
        onSelect={setSelection}
        types={OFFERED_TYPES}
      />
    </>
  );
}

type FooterProps = Pick<
  ReturnType<typeof useUnusedLicenses>,
  'ids' | 'isComplete' | 'isReadingOn' | 'readOn' | 'readAll'
>;

/** Number of licenses loaded, with buttons to load more. */
function Footer({ ids, isComplete, isReadingOn, readOn, readAll }: FooterProps) {
  const licenses = pluralize(ids.length, 'unused license', 'unused licenses');
  return (
    <>
      <output className="num">{isComplete ? licenses : `${licenses} so far`}</output>
      {!isComplete && (
        <span className="lic-more">
          <ShowMoreButton pending={isReadingOn} onClick={readOn}>
            Show more
          </ShowMoreButton>
          <Button size="small" pending={isReadingOn} onClick={readAll}>
            Show all
          </Button>
        </span>
      )}
    </>
  );
}

const UNUSED_COLUMNS: readonly Column<UnusedRow>[] = [
  {
    id: 'name',
    header: 'Name',
    minWidth: 200,
    cell: (row, place) => (
      <PersonLink
        id={row.userId}
        name={formatUserName(row)}
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
    cell: ({ licenseTypeId }) => getLicenseName(licenseTypeId),
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
    cell: ({ person }, place) => (person ? <Timestamp at={person.created} tabIndex={place.tabIndex} /> : '…'),
  },
  {
    id: 'last',
    header: 'Last activity',
    align: 'end',
    width: 130,
    small: 'aside',
    cell: ({ lastActivityDate: at }, place) =>
      at === null ? <Badge tone="warn">Never</Badge> : <Timestamp at={at} tabIndex={place.tabIndex} />,
  },
];
