import { getRouteApi } from '@tanstack/react-router';
import { ScrollText } from 'lucide-react';
import { useMemo } from 'react';
import type { ActingReport } from '../../../../contract/generated/types.gen.ts';
import { QueryAge } from '../../../app/freshness/DataAge.tsx';
import { ListTable } from '../../../app/views/ListTable.tsx';
import { usePeopleById } from '../../../directory/directory.ts';
import { pluralize } from '../../../lib/numbers.ts';
import { ShowMoreButton } from '../../../ui/button/ShowMoreButton.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { Breadcrumbs } from '../../../ui/layout/Breadcrumbs.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { ToggleChip } from '../../../ui/table/filter/FilterChips.tsx';
import { REPORT_COLUMNS, formatReportName } from './report-columns.tsx';
import { useReports } from './reports-query.ts';

const route = getRouteApi('/_app/proxies/reports/');
const getReportId = ({ id }: ActingReport) => id;
const NO_IDS: readonly number[] = [];

/** List of the acting reports of the site. */
export function ReportsPage() {
  const { user } = route.useSearch();
  const navigate = route.useNavigate();
  const { reports, error, isRefetching, refetch, hasMore, isLoadingMore, loadMore, dataUpdatedAt } =
    useReports(user);
  const ids = useMemo(() => (user === undefined ? NO_IDS : [user]), [user]);
  const name = usePeopleById(ids).get(user ?? 0)?.name ?? `user ${user}`;
  const showAll = () => void navigate({ to: '.', search: {} });
  if (error?.status === 403 && !reports) throw error;
  return (
    <Page
      fill
      title="Acting reports"
      breadcrumbs={<Breadcrumbs />}
      meta="What proxies viewed and changed on behalf of others"
    >
      <ListTable
        table="actingReports"
        tools={<QueryAge query={{ dataUpdatedAt, error: error ?? null }} />}
        filters={user !== undefined && <ToggleChip label={`With ${name}`} on onChange={showAll} />}
        label="Reports"
        columns={REPORT_COLUMNS}
        rows={reports}
        rowId={getReportId}
        rowLabel={formatReportName}
        refetching={isRefetching}
        error={error}
        onRetry={refetch}
        empty={
          <EmptyState icon={ScrollText} title="No one has acted for anyone yet">
            When a proxy acts for a user, in the console or through a program, this page lists what they
            viewed and changed.
          </EmptyState>
        }
        onClearFilters={user === undefined ? undefined : showAll}
        footer={
          reports && reports.length > 0 ? (
            <>
              <output className="num">
                {pluralize(reports.length, 'report', 'reports')}
                {hasMore && ' so far'}
              </output>
              {hasMore && (
                <ShowMoreButton pending={isLoadingMore} onClick={loadMore}>
                  Show more
                </ShowMoreButton>
              )}
            </>
          ) : undefined
        }
      />
    </Page>
  );
}
