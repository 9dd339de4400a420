import { useSuspenseQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, Outlet, useRouter } from '@tanstack/react-router';
import { Pencil, SquareArrowOutUpRight, Trash2 } from 'lucide-react';
import { useState, useMemo } from 'react';
import type { InvestigationVm, InvestigationInfo } from '../../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import { formatExactDate, formatTime } from '../../../lib/dates/dates.ts';
import { pluralize, formatNumber } from '../../../lib/numbers.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { CopyButton } from '../../../ui/button/CopyButton.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { SegmentedControl } from '../../../ui/form/SegmentedControl.tsx';
import { Breadcrumbs } from '../../../ui/layout/Breadcrumbs.tsx';
import { Card, Fact, Facts } from '../../../ui/layout/Card.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { MenuButton } from '../../../ui/menu/MenuButton.tsx';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { getServerTime } from '../model/activity-data.ts';
import { formatTimeRange, formatFilters } from '../model/format.ts';
import { toView } from '../model/report-query.ts';
import { getRowId, getRowLabel } from '../model/row.ts';
import { useUserNames } from '../model/use-names.ts';
import { serializeActivityView } from '../model/view.ts';
import { COLUMNS } from '../panels/columns.tsx';
import { investigationQuery, comparisonQuery } from './investigations.ts';
import type { Comparison } from './investigations.ts';
import { useDeleteInvestigation } from './use-delete-investigation.ts';
import './investigations.css';

const route = getRouteApi('/_app/activity/investigations/$investigationId');

const ROWS = [
  { value: 'frozen', label: 'Saved rows' },
  { value: 'added', label: 'Added since' },
] as const;

/** A saved investigation: its filters, its frozen rows, and the rows added since. */
export function InvestigationPage() {
  const router = useRouter();
  const { investigationId } = route.useParams();
  const { rows: shownRows = 'frozen' } = route.useSearch();
  const { info, rows } = useSuspenseQuery(investigationQuery(investigationId)).data.data;
  const remove = useDeleteInvestigation(() =>
    router.navigate({ to: '/activity/investigations', ignoreBlocker: true }),
  );
  const to = '/activity/investigations/$investigationId';
  return (
    <Page
      breadcrumbs={<Breadcrumbs />}
      title={info.name}
      meta={`As of ${formatExactDate(info.createdDate)} · ${pluralize(info.frozenRows, 'row', 'rows')} saved`}
      actions={
        <>
          <Link to="/activity" search={serializeActivityView(toView(info.query))} className={buttonClass()}>
            <SquareArrowOutUpRight />
            Open in report
          </Link>
          <MenuButton
            label={`Actions for ${info.name}`}
            variant="default"
            items={[
              {
                label: 'Edit name and notes',
                icon: Pencil,
                onSelect: () => void router.navigate({ to: `${to}/edit`, params: { investigationId } }),
              },
              'line',
              { label: 'Delete', icon: Trash2, danger: true, onSelect: () => void remove(info) },
            ]}
          />
        </>
      }
    >
      <InvestigationFacts info={info} />
      <div className="inv-choice">
        <SegmentedControl
          label="Rows"
          options={ROWS}
          value={shownRows}
          onChange={(next) =>
            void router.navigate({
              to,
              params: { investigationId },
              search: next === 'added' ? { rows: next } : {},
              resetScroll: false,
            })
          }
        />
      </div>
      {shownRows === 'added' ? (
        <AddedSince {...{ info, rows }} />
      ) : (
        <DataTable
          label="Saved rows"
          columns={COLUMNS}
          rows={rows}
          rowId={getRowId}
          rowLabel={getRowLabel}
          empty={<EmptyState title="No rows">No rows matched when this investigation was saved.</EmptyState>}
        />
      )}
      <Outlet />
    </Page>
  );
}

function formatComparison({ added, comparedCount, expiredCount }: Comparison): string {
  return [
    `${pluralize(added.length, 'row matches', 'rows match')} now but not when saved`,
    ...(comparedCount === undefined ? [] : [`the newest ${formatNumber(comparedCount)} were compared`]),
    ...(expiredCount === 0 ? [] : [`${pluralize(expiredCount, 'row', 'rows')} older than the report`]),
  ].join(' · ');
}

/** Rows that match an investigation now and did not when it was saved. */
function AddedSince({ info, rows }: InvestigationVm) {
  const client = useQueryClient();
  const [now, setNow] = useState(() => getServerTime(client));
  const { data, error, isFetching, refetch } = useQuery(comparisonQuery(info, rows, now));
  return (
    <DataTable
      label="Added since"
      columns={COLUMNS}
      rows={data?.added}
      rowId={getRowId}
      rowLabel={getRowLabel}
      error={error === null ? undefined : toServiceError(error)}
      refetching={isFetching}
      onRetry={() => void refetch()}
      empty={
        <EmptyState title="No rows were added">
          The same rows match now as when the investigation was saved
          {info.query.dateTo === undefined ? '.' : ', because its period had already ended.'}
        </EmptyState>
      }
      footer={
        data && (
          <>
            <span>
              {formatComparison(data)} · as of {formatTime(now)}
            </span>
            <Button size="small" pending={isFetching} onClick={() => setNow(getServerTime(client))}>
              Compare again
            </Button>
          </>
        )
      }
    />
  );
}

const SHORT_HASH_LENGTH = 16;

/** Period of an investigation; it ends at the latest when the investigation was saved. */
function formatInvestigationPeriod({ query: { dateFrom, dateTo }, createdDate }: InvestigationInfo): string {
  const end = Date.parse(dateTo ?? createdDate);
  return dateFrom === undefined
    ? `90 days until ${formatTimeRange(end, end)}`
    : formatTimeRange(Date.parse(dateFrom), end);
}

/** Filters, author and hash of an investigation. */
function InvestigationFacts({ info }: { info: InvestigationInfo }) {
  const { createdBy, createdByName, totalRecords, frozenRows, notes, sha256 } = info;
  const view = useMemo(() => toView(info.query), [info.query]);
  const getName = useUserNames([...view.people, ...view.principals]);
  const filters = formatFilters(view, getName);
  return (
    <Card title="Details">
      <Facts>
        <Fact label="Notes">
          {notes === '' ? <span className="inv-soft">None</span> : <p className="inv-notes">{notes}</p>}
        </Fact>
        <Fact label="Filters">{filters.length === 0 ? 'None' : filters.join(' · ')}</Fact>
        <Fact label="Period">{formatInvestigationPeriod(info)}</Fact>
        <Fact label="Saved">
          <span className="inv-by">
            {formatExactDate(info.createdDate)} by{' '}
            {createdByName === null ? (
              `user ${createdBy}, no longer a member`
            ) : (
              <Link to="/users/$userId" params={{ userId: createdBy }}>
                {createdByName}
              </Link>
            )}
          </span>
        </Fact>
        <Fact label="Rows">
          {frozenRows === totalRecords
            ? `All ${formatNumber(totalRecords)} matching rows`
            : `The newest ${formatNumber(frozenRows)} of ${formatNumber(totalRecords)} matching rows`}
        </Fact>
        <Fact label="Hash of the rows">
          <span className="mono" title={sha256}>
            SHA-256 {sha256.slice(0, SHORT_HASH_LENGTH)}…
          </span>{' '}
          <CopyButton value={sha256} label="Copy hash" />
        </Fact>
      </Facts>
    </Card>
  );
}
