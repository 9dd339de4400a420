import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { FileDown } from 'lucide-react';
import { useState } from 'react';
import type { ReactNode } from 'react';
import type { Job } from '../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../api/errors.ts';
import { listJobsOptions } from '../../api/generated/queries/jobs.gen.ts';
import { usePermission, useSession } from '../../api/session.ts';
import { QueryAge } from '../../app/freshness/DataAge.tsx';
import { ListTable } from '../../app/views/ListTable.tsx';
import { getBrowserTimeZone } from '../../lib/dates/time-zones.ts';
import { formatNumber, pluralize } from '../../lib/numbers.ts';
import { formatSize } from '../../lib/sizes.ts';
import { buttonClass } from '../../ui/button/button-class.ts';
import { EmptyState } from '../../ui/feedback/EmptyState.tsx';
import { SegmentedControl } from '../../ui/form/SegmentedControl.tsx';
import { Badge } from '../../ui/layout/Badge.tsx';
import { Page } from '../../ui/layout/Page.tsx';
import { Tile } from '../../ui/layout/Tile.tsx';
import { Timestamp } from '../../ui/layout/Timestamp.tsx';
import type { Column } from '../../ui/table/columns.ts';
import { ChoiceChip } from '../../ui/table/filter/ChoiceChip.tsx';
import { FilterChip } from '../../ui/table/filter/FilterChips.tsx';
import {
  countExportedFields,
  EXPORT_KINDS,
  getExportedList,
  getExportedType,
  SaveJobFileButton,
  STATE_LABELS,
} from '../jobs/index.ts';
import { EXPORT_PERIODS, getExportPeriodStart } from './view.ts';
import type { ExportPeriod, ExportsView } from './view.ts';
import './exports.css';

const route = getRouteApi('/_app/exports/');

const PERIOD_LABELS: Readonly<Record<ExportPeriod, string>> = {
  any: 'Any time',
  today: 'Today',
  '7': 'Last 7 days',
  '30': 'Last 30 days',
  '90': 'Last 90 days',
};

/** Formats a summary: "3 exports · 2 with a file". */
const formatSummary = (jobs: readonly Job[]): string =>
  `${pluralize(jobs.length, 'export', 'exports')} · ${formatNumber(jobs.filter(({ file }) => file?.isRemoved === false).length)} with a file`;

const getId = ({ id }: Job) => String(id);
const getTitle = ({ title }: Job) => title;
/** Running exports change without a message from the service. */
const REFRESH_INTERVAL_MS = 2_000;
/** Exports that one request returns, newest first. */
const MAX_EXPORTS = 1000;

/** Exports, which are jobs of the service, with their files: the caller's, and with View Activity those of others. */
export function ExportsPage() {
  const { allowed } = usePermission('listJobs');
  const canSeeOthers = useSession().capabilities.includes('View Activity');
  const view = route.useSearch();
  const navigate = route.useNavigate();
  const show = (next: ExportsView) => void navigate({ to: '.', search: next });
  const owner = canSeeOthers ? view.owner : 'own';
  const {
    data: exports,
    dataUpdatedAt,
    error,
    refetch,
    isRefetching,
  } = useQuery({
    ...listJobsOptions({ query: { owner, kinds: EXPORT_KINDS, pageNumber: 1, pageSize: MAX_EXPORTS } }),
    enabled: allowed,
    refetchInterval: ({ state }) =>
      state.data?.some(({ finishedDate }) => finishedDate === null) ? REFRESH_INTERVAL_MS : false,
  });
  const [openedAt] = useState(Date.now);
  const start = getExportPeriodStart(view.period, openedAt, getBrowserTimeZone());
  const types = [...new Set([...(exports ?? []).map((job) => getExportedType(job) ?? ''), view.type])]
    .filter((type) => type !== '')
    .toSorted((one, other) => one.localeCompare(other));
  const jobs = exports?.filter(
    (job) =>
      (view.type === '' || getExportedType(job) === view.type) &&
      (start === undefined || Date.parse(job.createdDate) >= start),
  );
  return (
    <Page fill title="Exports" meta={jobs && jobs.length > 0 && formatSummary(jobs)}>
      <ListTable
        table="exports"
        tools={<QueryAge query={{ dataUpdatedAt, error }} />}
        filters={
          <>
            {canSeeOthers && (
              <SegmentedControl
                label="Exported by"
                value={owner}
                onChange={(next) => show({ ...view, owner: next })}
                options={[
                  { value: 'all', label: 'All' },
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
            <ChoiceChip
              label="Period"
              options={EXPORT_PERIODS.map((period) => ({ value: period, label: PERIOD_LABELS[period] }))}
              value={view.period}
              defaultValue="any"
              onChange={(period) => show({ ...view, period })}
            />
          </>
        }
        label="Exports"
        columns={owner === 'own' ? OWN_COLUMNS : ALL_COLUMNS}
        rows={jobs}
        twoLines
        rowId={getId}
        rowLabel={getTitle}
        error={error === null ? undefined : toServiceError(error)}
        onRetry={() => void refetch()}
        refetching={isRefetching && error !== null}
        onClearFilters={
          view.type === '' && view.period === 'any'
            ? undefined
            : () => show({ ...view, type: '', period: 'any' })
        }
        footer={
          exports?.length === MAX_EXPORTS
            ? `The newest ${formatNumber(MAX_EXPORTS)} exports are listed. Activity has the older ones of 90 days.`
            : 'Files are kept for 7 days. Each export and each download is logged in Activity.'
        }
        empty={
          <EmptyState
            icon={FileDown}
            title={owner === 'others' ? 'Nobody else has exported anything' : 'No exports yet'}
            actions={
              <Link to="/users" className={buttonClass({})}>
                Go to users
              </Link>
            }
          >
            Lists of users, entries and activity can be exported, but not while acting for another user.
          </EmptyState>
        }
      />
    </Page>
  );
}

interface ListLinkProps {
  job: Job;
  tabIndex: 0 | -1;
  /** Shown in place of the link where the export has no list of the console. */
  fallback?: string;
  children: ReactNode;
}

/** Link to the exported list with the filter of the export. */
function ListLink({ job, tabIndex, fallback, children }: ListLinkProps) {
  const list = getExportedList(job);
  if (!list) return fallback;
  return (
    <Link
      to="/entries/$type"
      params={{ type: list.type }}
      search={list.query ? { query: list.query } : {}}
      tabIndex={tabIndex}
    >
      {children}
    </Link>
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
        <small>
          {[
            getExportedType(job),
            countExportedFields(job),
            job.file && job.file.size > 0 && formatSize(job.file.size),
          ]
            .filter(Boolean)
            .join(' · ')}
        </small>
      </span>
    </span>
  ),
};

const OWNER_COLUMN: Column<Job> = {
  id: 'owner',
  header: 'Exported by',
  width: 170,
  small: 'line',
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
    cell(job, { tabIndex }) {
      if (!job.file) return null;
      return (
        <ListLink job={job} tabIndex={tabIndex} fallback={formatNumber(job.file.rows)}>
          {formatNumber(job.file.rows)}
          <span className="visually-hidden"> {job.file.rows === 1 ? 'row' : 'rows'}, show list</span>
        </ListLink>
      );
    },
  },
  {
    id: 'at',
    header: 'Exported',
    width: 116,
    small: 'line',
    cell: ({ createdDate }, { tabIndex }) => <Timestamp at={createdDate} tabIndex={tabIndex} />,
  },
  {
    id: 'state',
    header: 'State',
    width: 124,
    small: 'line',
    cell: ({ state }) => <Badge tone={STATE_LABELS[state].tone}>{STATE_LABELS[state].label}</Badge>,
  },
  {
    id: 'list',
    header: 'List',
    width: 84,
    small: 'line',
    cell: (job, { tabIndex }) => (
      <ListLink job={job} tabIndex={tabIndex}>
        Show list
      </ListLink>
    ),
  },
];

const FILE_COLUMN: Column<Job> = {
  id: 'save',
  header: 'File',
  width: 124,
  small: 'aside',
  cell: (job, { tabIndex }) =>
    job.file?.isRemoved === true ? (
      <Badge>Removed</Badge>
    ) : (
      <SaveJobFileButton job={job} tabIndex={tabIndex} isSmall />
    ),
};

const OWN_COLUMNS = [TITLE_COLUMN, ...FACT_COLUMNS, FILE_COLUMN];
/** Files are given to their owner only: the buttons of others say so. */
const ALL_COLUMNS = [TITLE_COLUMN, OWNER_COLUMN, ...FACT_COLUMNS, FILE_COLUMN];
