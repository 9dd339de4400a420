import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { FileDown, Trash2, Download } from 'lucide-react';
import type { Job } from '../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../api/errors.ts';
import { listJobsOptions } from '../../api/generated/@tanstack/react-query.gen.ts';
import { getSessionIdentity } from '../../api/session-query.ts';
import { useSession, usePermission } from '../../api/session.ts';
import {
  deleteExport,
  exportsRevision,
  loadExports,
  loadExportFile,
  FILE_DAYS,
  MAX_STORED_BYTES,
  RECORD_DAYS,
} from '../../app/exports/export-store.ts';
import type { StoredExportRecord } from '../../app/exports/export-store.ts';
import { saveExportAgain } from '../../app/exports/hand-over.ts';
import { formatNumber } from '../../lib/numbers.ts';
import { buttonClass } from '../../ui/button/button-class.ts';
import { Button } from '../../ui/button/Button.tsx';
import { EmptyState } from '../../ui/feedback/EmptyState.tsx';
import { Badge } from '../../ui/layout/Badge.tsx';
import type { Tone } from '../../ui/layout/Badge.tsx';
import { Page } from '../../ui/layout/Page.tsx';
import { Timestamp } from '../../ui/layout/Timestamp.tsx';
import type { MenuItems } from '../../ui/menu/menu-items.ts';
import { useStore } from '../../ui/store.ts';
import type { Column } from '../../ui/table/columns.ts';
import { DataTable } from '../../ui/table/DataTable.tsx';
import {
  parseActivityView as readActivity,
  serializeActivityView as writeActivity,
} from '../activity/index.ts';
import { SaveJobFileButton } from '../jobs/index.ts';
import { parseUsersView, serializeUsersView } from '../users/index.ts';
import './exports.css';

const UNITS = ['byte', 'kilobyte', 'megabyte'] as const;
const secondsFormat = new Intl.NumberFormat(undefined, {
  style: 'unit',
  unit: 'second',
  unitDisplay: 'short',
  maximumFractionDigits: 1,
});

/** Formats a size: "1.2 MB"; empty if no file was made. */
function formatSize({ sizeBytes }: Pick<StoredExportRecord, 'sizeBytes'>): string {
  if (sizeBytes === 0) return '';
  const step = Math.min(UNITS.length - 1, Math.floor(Math.log10(sizeBytes) / 3));
  const unit = UNITS[step] ?? 'byte';
  return new Intl.NumberFormat(undefined, {
    style: 'unit',
    unit,
    unitDisplay: 'short',
    maximumFractionDigits: step === 2 ? 1 : 0,
  }).format(sizeBytes / 1000 ** step);
}

const formatDuration = ({ durationMs }: Pick<StoredExportRecord, 'durationMs'>): string =>
  secondsFormat.format(durationMs / 1000);

type ExportState = 'Kept' | 'File deleted' | 'Failed' | 'Stopped';

/** State of an export and its file. */
function getState({ state, hasFile }: Pick<StoredExportRecord, 'state' | 'hasFile'>): ExportState {
  if (state === 'done') return hasFile ? 'Kept' : 'File deleted';
  return state === 'failed' ? 'Failed' : 'Stopped';
}

/** Reason why the file cannot be downloaded again; undefined if it can. */
function getUnavailableReason(one: StoredExportRecord): string | undefined {
  if (one.hasFile) return undefined;
  return one.state === 'done' ? 'The file is no longer stored' : 'No file was created';
}

/** Formats a summary: "3 exports · 2 with a file". */
const formatSummary = (all: readonly StoredExportRecord[]): string =>
  `${formatNumber(all.length)} ${all.length === 1 ? 'export' : 'exports'} · ${formatNumber(all.filter((one) => one.hasFile).length)} with a file`;

const getId = ({ id }: StoredExportRecord) => id;
const getName = ({ name }: StoredExportRecord) => name;

const rowMenu = (one: StoredExportRecord): MenuItems => [
  { label: 'Remove', icon: Trash2, danger: true, onSelect: () => void deleteExport(one.id) },
];

const getJobId = ({ id }: Job) => String(id);

/** Exports that the service made, with their files. */
function ServiceExports() {
  const { allowed } = usePermission('listJobs');
  const { data } = useQuery({
    ...listJobsOptions({ query: { pageNumber: 1, pageSize: 1000 } }),
    enabled: allowed,
  });
  const jobs = data?.filter(({ file }) => file !== null);
  if (!jobs || jobs.length === 0) return null;
  return (
    <DataTable
      label="Exports of entries"
      columns={JOB_COLUMNS}
      rows={jobs}
      rowId={getJobId}
      rowLabel={({ title }) => title}
      empty={null}
    />
  );
}

/** Exports that the service keeps, and those made in this browser, of which the service only records that they happened. */
export function ExportsPage() {
  const identity = getSessionIdentity(useSession());
  const change = useStore(exportsRevision);
  const { data, error, refetch, isRefetching } = useQuery({
    queryKey: [{ _id: 'exports', holder: identity, change }],
    queryFn: () => loadExports(identity),
    // Another tab may have exported.
    staleTime: 0,
    gcTime: 0,
    retry: false,
    placeholderData: (before) => before,
  });
  return (
    <Page fill title="Exports" meta={data && data.length > 0 && formatSummary(data)}>
      <p className="exports-note">
        Files of entries are made and kept by the service for 7 days. The other exports are those of the last{' '}
        {RECORD_DAYS} days from this browser. Files are stored here for {FILE_DAYS} days, the latest{' '}
        {formatSize({ sizeBytes: MAX_STORED_BYTES })} of them; signing out removes everything. That an export
        was made or downloaded again is recorded in the activity of the site.
      </p>
      <ServiceExports />
      <DataTable
        label="Exports"
        columns={COLUMNS}
        rows={data}
        rowId={getId}
        rowLabel={getName}
        rowMenu={rowMenu}
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
            Select people in the list of users and choose Export.
          </EmptyState>
        }
      />
    </Page>
  );
}

const TONES: Record<ReturnType<typeof getState>, Tone> = {
  Kept: 'ok',
  'File deleted': 'neutral',
  Failed: 'bad',
  Stopped: 'warn',
};

/** Link to the exported list, if it had a URL. */
function ListLink({
  one: { filterText, search, subject },
  tabIndex,
}: {
  one: StoredExportRecord;
  tabIndex: 0 | -1;
}) {
  if (!search) return filterText;
  if (subject === 'activity') {
    return (
      <Link
        to="/activity"
        search={writeActivity(readActivity(search))}
        tabIndex={tabIndex}
        title={filterText}
      >
        {filterText}
      </Link>
    );
  }
  return (
    <Link
      to="/users"
      search={serializeUsersView(parseUsersView(search))}
      tabIndex={tabIndex}
      title={filterText}
    >
      {filterText}
    </Link>
  );
}

function DownloadButton({ one, tabIndex }: { one: StoredExportRecord; tabIndex: 0 | -1 }) {
  const { reason: notNow } = usePermission('recordExport');
  return (
    <Button
      size="small"
      icon={Download}
      tabIndex={tabIndex}
      aria-label={`Download ${one.name} again`}
      disabledReason={notNow ?? getUnavailableReason(one)}
      onClick={() => void saveExportAgain(one, () => loadExportFile(one.id))}
    >
      Download
    </Button>
  );
}

const JOB_COLUMNS: readonly Column<Job>[] = [
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
  { id: 'rows', header: 'Rows', width: 90, align: 'end', cell: ({ file }) => formatNumber(file?.rows ?? 0) },
  {
    id: 'size',
    header: 'Size',
    width: 90,
    align: 'end',
    cell: ({ file }) => formatSize({ sizeBytes: file?.size ?? 0 }),
  },
  {
    id: 'at',
    header: 'Exported',
    width: 96,
    cell: ({ createdDate }, { tabIndex }) => <Timestamp at={createdDate} tabIndex={tabIndex} />,
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

const COLUMNS: readonly Column<StoredExportRecord>[] = [
  { id: 'name', header: 'File', minWidth: 190, cell: ({ name }) => <span title={name}>{name}</span> },
  {
    id: 'query',
    header: 'Requested',
    minWidth: 150,
    small: 'line',
    cell: (one, { tabIndex }) => (
      <>
        <ListLink one={one} tabIndex={tabIndex} />
        {one.why !== undefined && (
          <span className="exports-why" title={one.why}>
            {` · ${one.why}`}
          </span>
        )}
      </>
    ),
  },
  { id: 'rows', header: 'Rows', width: 70, align: 'end', cell: ({ rows }) => formatNumber(rows) },
  { id: 'size', header: 'Size', width: 80, align: 'end', cell: formatSize },
  { id: 'took', header: 'Took', width: 84, align: 'end', cell: formatDuration },
  {
    id: 'at',
    header: 'Exported',
    width: 96,
    cell: ({ startedAt }, { tabIndex }) => <Timestamp at={startedAt} tabIndex={tabIndex} />,
  },
  {
    id: 'state',
    header: 'State',
    width: 124,
    small: 'aside',
    cell: (one) => <Badge tone={TONES[getState(one)]}>{getState(one)}</Badge>,
  },
  {
    id: 'again',
    header: 'Again',
    width: 124,
    small: 'line',
    cell: (one, { tabIndex }) => <DownloadButton one={one} tabIndex={tabIndex} />,
  },
];
