import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { FileDown } from 'lucide-react';
import type { Job } from '../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../api/errors.ts';
import { listJobsOptions } from '../../api/generated/queries/jobs.gen.ts';
import { usePermission, useSession } from '../../api/session.ts';
import { QueryAge } from '../../app/freshness/DataAge.tsx';
import { ListTable } from '../../app/views/ListTable.tsx';
import { formatNumber } from '../../lib/numbers.ts';
import { buttonClass } from '../../ui/button/button-class.ts';
import { SegmentedControl } from '../../ui/chart/SegmentedControl.tsx';
import { EmptyState } from '../../ui/feedback/EmptyState.tsx';
import { Badge } from '../../ui/layout/Badge.tsx';
import { Page } from '../../ui/layout/Page.tsx';
import { Tile } from '../../ui/layout/Tile.tsx';
import { Timestamp } from '../../ui/layout/Timestamp.tsx';
import type { Column } from '../../ui/table/columns.ts';
import { FilterChip } from '../../ui/table/FilterChips.tsx';
import {
  getExportedList,
  getExportedType,
  isExport,
  SaveJobFileButton,
  STATE_LABELS,
} from '../jobs/index.ts';
import type { ExportsView } from './view.ts';
import './exports.css';

const route = getRouteApi('/_app/exports/');

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

/** Exports, which are jobs of the service, with their files: the caller's, and with View Activity those of others. */
export function ExportsPage() {
  const { allowed } = usePermission('listJobs');
  const canSeeOthers = useSession().capabilities.includes('View Activity');
  const view = route.useSearch();
  const navigate = route.useNavigate();
  const show = (next: ExportsView) => void navigate({ to: '.', search: next });
  const owner = canSeeOthers ? view.owner : 'own';
  const { data, dataUpdatedAt, error, refetch, isRefetching } = useQuery({
    ...listJobsOptions({ query: { owner, pageNumber: 1, pageSize: MAX_JOBS } }),
    enabled: allowed,
    refetchInterval: ({ state }) =>
      state.data?.some((job) => isExport(job) && job.finishedDate === null) ? REFRESH_INTERVAL_MS : false,
  });
  const exports = data?.filter(isExport);
  const types = [...new Set([...(exports ?? []).map((job) => getExportedType(job) ?? ''), view.type])]
    .filter((type) => type !== '')
    .toSorted((one, other) => one.localeCompare(other));
  const jobs = view.type === '' ? exports : exports?.filter((job) => getExportedType(job) === view.type);
  return (
    <Page fill title="Exports" meta={jobs && jobs.length > 0 && formatSummary(jobs)}>
      <p className="exports-note">
        Files are kept for 7 days. Each export and each download is logged in Activity. Nobody can export
        while acting for another user.
      </p>
      <ListTable
        table="exports"
        tools={<QueryAge query={{ dataUpdatedAt, error }} />}
        filters={
          <>
            {canSeeOthers && (
              <SegmentedControl
                label="Whose exports"
                value={owner}
                onChange={(next) => show({ ...view, owner: next })}
                options={[
                  { value: 'own', label: 'Mine' },
                  { value: 'others', label: 'Others’' },
                ]}
              />
            )}
            <FilterChip
              label="Type"
              options={types.map((type) => ({ value: type, label: type }))}
              value={view.type === '' ? [] : [view.type]}
              onChange={(chosen) => show({ ...view, type: chosen.at(-1) ?? '' })}
            />
          </>
        }
        label="Exports"
        columns={owner === 'own' ? OWN_COLUMNS : OTHERS_COLUMNS}
        rows={jobs}
        twoLines
        rowId={getId}
        rowLabel={getTitle}
        error={error === null ? undefined : toServiceError(error)}
        onRetry={() => void refetch()}
        refetching={isRefetching && error !== null}
        onClearFilters={view.type === '' ? undefined : () => show({ ...view, type: '' })}
        empty={
          <EmptyState
            icon={FileDown}
            title={owner === 'own' ? 'No exports yet' : 'Nobody else has exported anything'}
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

const TITLE_COLUMN: Column<Job> = {
  id: 'title',
  header: 'Export',
  minWidth: 220,
  cell: (job, { tabIndex }) => (
    <span className="exports-title">
      <Tile icon={FileDown} />
      <span className="tbl-lines">
        <Link to="/jobs/$jobId" params={{ jobId: job.id }} tabIndex={tabIndex} title={job.title}>
          {job.title}
        </Link>
        <small>{[getExportedType(job), formatSize(job)].filter(Boolean).join(' · ')}</small>
      </span>
    </span>
  ),
};

const OWNER_COLUMN: Column<Job> = {
  id: 'owner',
  header: 'Exported by',
  width: 170,
  cell: ({ ownerId, ownerName }, { tabIndex }) =>
    ownerName === null || ownerId === null ? (
      'Left the site'
    ) : (
      <Link to="/users/$userId" params={{ userId: ownerId }} tabIndex={tabIndex} title={ownerName}>
        {ownerName}
      </Link>
    ),
};

const FACT_COLUMNS: readonly Column<Job>[] = [
  {
    id: 'rows',
    header: 'Rows',
    width: 90,
    align: 'end',
    cell: ({ file }) => (file ? formatNumber(file.rows) : ''),
  },
  {
    id: 'at',
    header: 'Exported',
    width: 116,
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
    id: 'list',
    header: 'List',
    width: 84,
    small: 'line',
    cell(job, { tabIndex }) {
      const list = getExportedList(job);
      return list ? (
        <Link
          to="/entries/$type"
          params={{ type: list.type }}
          search={list.query ? { query: list.query } : {}}
          tabIndex={tabIndex}
        >
          Show list
        </Link>
      ) : null;
    },
  },
];

const FILE_COLUMN: Column<Job> = {
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
};

const OWN_COLUMNS = [TITLE_COLUMN, ...FACT_COLUMNS, FILE_COLUMN];
/** Files are given to their owner only. */
const OTHERS_COLUMNS = [TITLE_COLUMN, OWNER_COLUMN, ...FACT_COLUMNS];
