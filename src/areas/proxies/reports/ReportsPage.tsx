import { getRouteApi } from '@tanstack/react-router';
import { ScrollText } from 'lucide-react';
import { useMemo } from 'react';
import type { ActingReport } from '../../../api/generated/types.gen.ts';
import { usePeople } from '../../../directory/directory.ts';
import { counted } from '../../../lib/numbers.ts';
import { Trail } from '../../../ui/layout/Trail.tsx';
import { Button } from '../../../ui/button/Button.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { TableBar } from '../../../ui/table/TableBar.tsx';
import { ToggleChip } from '../../../ui/table/ToggleChip.tsx';
import { REPORT_COLUMNS, reportName } from './report-columns.tsx';
import { useReports } from './reports-query.ts';

const route = getRouteApi('/_app/proxies/reports/');
const idOf = ({ id }: ActingReport) => id;
const NOBODY: readonly number[] = [];

/** Every time somebody acted for somebody. */
export function ReportsPage() {
  const { user } = route.useSearch();
  const navigate = route.useNavigate();
  const { reports, error, isRefetching, refetch, hasMore, isReadingOn, readOn } = useReports(user);
  const ids = useMemo(() => (user === undefined ? NOBODY : [user]), [user]);
  const name = usePeople(ids).get(user ?? 0)?.name ?? `user ${user}`;
  const all = () => void navigate({ to: '.', search: {} });
  if (error?.status === 403 && !reports) throw error;
  return (
    <Page
      fill
      title="Reports of acting"
      breadcrumbs={<Trail />}
      meta="What was seen and done in another name"
    >
      {user !== undefined && (
        <TableBar>
          <ToggleChip label={`With ${name}`} on onChange={all} />
        </TableBar>
      )}
      <DataTable
        label="Reports"
        columns={REPORT_COLUMNS}
        rows={reports}
        rowId={idOf}
        rowLabel={reportName}
        refetching={isRefetching}
        error={error}
        onRetry={refetch}
        empty={
          <EmptyState icon={ScrollText} title="Nobody has acted for anybody yet">
            As soon as a proxy works in somebody’s place, here in the console or through a program, it says
            here what they saw and did.
          </EmptyState>
        }
        onClearFilters={user === undefined ? undefined : all}
        footer={
          reports && reports.length > 0 ? (
            <>
              <output className="num">
                {counted(reports.length, 'report', 'reports')}
                {hasMore && ' so far'}
              </output>
              {hasMore && (
                <Button size="small" pending={isReadingOn} onClick={readOn}>
                  Show more
                </Button>
              )}
            </>
          ) : undefined
        }
      />
    </Page>
  );
}
