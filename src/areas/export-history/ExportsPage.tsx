import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { FileDown } from 'lucide-react';
import type { Job } from '../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../api/errors.ts';
import { listJobsOptions } from '../../api/generated/@tanstack/react-query.gen.ts';
import { usePermission } from '../../api/session.ts';
import { formatNumber } from '../../lib/numbers.ts';
import { buttonClass } from '../../ui/button/button-class.ts';
import { EmptyState } from '../../ui/feedback/EmptyState.tsx';
import { Badge } from '../../ui/layout/Badge.tsx';
import { Page } from '../../ui/layout/Page.tsx';
import { Timestamp } from '../../ui/layout/Timestamp.tsx';
import type { Column } from '../../ui/table/columns.ts';
import { DataTable } from '../../ui/table/DataTable.tsx';
import { isExport, SaveJobFileButton, STATE_LABELS } from '../jobs/index.ts';
import './exports.css';

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

/** Formats a size: "1.2 MB"; empty without a file. */
function formatSize({ file }: Job): string {
  if (!file || file.size === 0) return '';
  const step = Math.min(UNITS.length - 1, Math.floor(Math.log10(file.size) / 3));
  return new Intl.NumberFormat(undefined, {
    style: 'unit',
    unit: UNITS[step] ?? 'byte',
    unitDisplay: 'short',
    maximumFractionDigits: step >= 2 ? 1 : 0,
  }).format(file.size / 1000 ** step);
}

/** Formats a summary: "3 exports · 2 with a file". */
const formatSummary = (jobs: readonly Job[]): string =>
  `${formatNumber(jobs.length)} ${jobs.length === 1 ? 'export' : 'exports'} · ${formatNumber(jobs.filter(({ file }) => file?.isRemoved === false).length)} with a file`;

const getId = ({ id }: Job) => String(id);
const getTitle = ({ title }: Job) => title;
/** Running exports change without a message from the service. */
const REFRESH_INTERVAL_MS = 2_000;
const MAX_JOBS = 1000;

/** The caller's exports, which are jobs of the service, with their files. */
export function ExportsPage() {
  const { allowed } = usePermission('listJobs');
  const { data, error, refetch, isRefetching } = useQuery({
    ...listJobsOptions({ query: { pageNumber: 1, pageSize: MAX_JOBS } }),
    enabled: allowed,
    refetchInterval: ({ state }) =>
      state.data?.some((job) => isExport(job) && job.finishedDate === null) ? REFRESH_INTERVAL_MS : false,
  });
  const jobs = data?.filter(isExport);
  return (
    <Page fill title="Exports" meta={jobs && jobs.length > 0 && formatSummary(jobs)}>
      <p className="exports-note">
        Files are kept for 7 days. Each export and each download is logged in Activity.
      </p>
      <DataTable
        label="Exports"
        columns={COLUMNS}
        rows={jobs}
        rowId={getId}
        rowLabel={getTitle}
        error={error === null ? undefined : toServiceError(error)}
        onRetry={() => void refetch()}
        refetching={isRefetching && error !== null}
        empty={
          <EmptyState
            icon={FileDown}
            title="No exports yet"
            actions={
              <Link to="/users" className={buttonClass({})}>
                Go to users
              </Link>
            }
          >
            Lists of users, entries and activity can be exported.
          </EmptyState>
        }
      />
    </Page>
  );
}

const COLUMNS: readonly Column<Job>[] = [
  {
    id: 'title',
    header: 'Export',
    minWidth: 190,
    cell: ({ id, title }, { tabIndex }) => (
      <Link to="/jobs/$jobId" params={{ jobId: id }} tabIndex={tabIndex} title={title}>
        {title}
      </Link>
    ),
  },
  {
    id: 'rows',
    header: 'Rows',
    width: 90,
    align: 'end',
    cell: ({ file }) => (file ? formatNumber(file.rows) : ''),
  },
  { id: 'size', header: 'Size', width: 90, align: 'end', cell: formatSize },
  {
    id: 'at',
    header: 'Exported',
    width: 96,
    cell: ({ createdDate }, { tabIndex }) => <Timestamp at={createdDate} tabIndex={tabIndex} />,
  },
  {
    id: 'state',
    header: 'State',
    width: 124,
    small: 'aside',
    cell: ({ state }) => <Badge tone={STATE_LABELS[state].tone}>{STATE_LABELS[state].label}</Badge>,
  },
  {
    id: 'save',
    header: 'File',
    width: 124,
    small: 'line',
    cell: (job, { tabIndex }) =>
      job.file?.isRemoved === true ? (
        <Badge>Removed</Badge>
      ) : (
        <SaveJobFileButton job={job} tabIndex={tabIndex} isSmall />
      ),
  },
];
