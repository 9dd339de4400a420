import { useQuery } from '@tanstack/react-query';
import { Outlet, useRouter, Link, getRouteApi } from '@tanstack/react-router';
import { Archive, Plus, RefreshCw, CalendarClock, Copy, FileCheck2 } from 'lucide-react';
import { useDeferredValue, useMemo } from 'react';
import type { BackupSettings } from '../../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import { getBackupSettingsOptions } from '../../../api/generated/queries/backups.gen.ts';
import { usePermission, useSession } from '../../../api/session.ts';
import { DataAge } from '../../../app/freshness/DataAge.tsx';
import { ListTable } from '../../../app/views/ListTable.tsx';
import { formatDistance } from '../../../lib/dates/dates.ts';
import { getBrowserTimeZone } from '../../../lib/dates/time-zones.ts';
import { pluralize } from '../../../lib/numbers.ts';
import { formatSize } from '../../../lib/sizes.ts';
import { endSentence } from '../../../lib/text/sentences.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { copyText } from '../../../ui/button/CopyButton.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { SearchField } from '../../../ui/form/SearchField.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { Timestamp } from '../../../ui/layout/Timestamp.tsx';
import { useShortcut } from '../../../ui/shortcuts/shortcuts.ts';
import type { Column } from '../../../ui/table/columns.ts';
import { getSortProps } from '../../../ui/table/columns.ts';
import { FilterChip } from '../../../ui/table/filter/FilterChips.tsx';
import { useDebouncedView } from '../../../ui/table/use-debounced-search.ts';
import { useMedia } from '../../../ui/use-media.ts';
import { AddressNote } from '../download/AddressNote.tsx';
import { backupsQuery, isInProgress } from '../model/backups.ts';
import type { Backup } from '../model/backups.ts';
import {
  KIND_LABELS,
  STATE_LABELS,
  formatRequester,
  formatContents,
  formatShortHash,
} from '../model/format.ts';
import { formatScheduleTime, getNextRunTime, formatScheduleRules } from '../model/schedule-format.ts';
import {
  filterBackups,
  isFiltered,
  SORT_KEYS,
  KINDS,
  STATES,
  parseBackupsView,
  serializeBackupsView,
} from '../model/view.ts';
import { StateBadge, VerificationBadge, BackupState } from './BackupState.tsx';
import { DownloadButton } from './DownloadButton.tsx';
import { useRowMenu } from './use-backup-menu.ts';
import '../panels/backups.css';
import '../../../directory/person-columns.css';

const SHORTCUTS = [{ keys: 'n', label: 'Request a backup', group: 'Backups' }];

/** List of the backups of the site. The URL holds the state of the list. */
export function BackupsPage() {
  const router = useRouter();
  const { allowed, reason } = usePermission('listBackups');
  useShortcut(SHORTCUTS, () => void router.navigate({ to: '/backups/new', search: (now) => now }));
  if (allowed)
    return (
      <>
        <BackupList />
        <Outlet />
      </>
    );
  return (
    <Page title="Backups">
      <EmptyState icon={Archive} title="You cannot view the backups of this site">
        {reason}. A backup contains all data of the site. An administrator of groups can grant you the
        capability.
      </EmptyState>
    </Page>
  );
}

// Width that fits all columns beside the navigation.
const WIDE_SCREEN = '(min-width: 1420px)';
const HIDDEN_ON_NARROW = ['sha256'];
const NO_COLUMNS: readonly string[] = [];
const getFileName = ({ fileName }: Backup) => fileName;

/** The table of backups, updated while one is in progress. */
function BackupList() {
  const { site } = useSession();
  const { data: all, error, isFetching, refetch, dataUpdatedAt } = useQuery(backupsQuery);
  const viewState = useBackupsView();
  const { view, show } = viewState;
  const isWide = useMedia(WIDE_SCREEN);
  const hidden = view.hidden ?? (isWide ? NO_COLUMNS : HIDDEN_ON_NARROW);
  const deferredView = useDeferredValue(view);
  const filtered = useMemo(() => all && filterBackups(all, deferredView), [all, deferredView]);
  const rowMenu = useRowMenu();

  const failure = error === null ? undefined : toServiceError(error);
  // The error boundary of the route shows which capability is missing.
  if (failure?.status === 403 && all === undefined) throw failure;
  return (
    <Page
      fill
      title="Backups"
      meta={all && formatMeta(all)}
      actions={
        <>
          <Link to="/backups/verify" className={buttonClass()}>
            <FileCheck2 />
            Verify a file
          </Link>
          <RequestLink />
        </>
      }
    >
      <ScheduleCard />
      <ListTable
        table="backups"
        filters={<BackupsFilters {...viewState} counts={filtered?.counts} />}
        tools={
          <>
            <DataAge at={all && dataUpdatedAt} failed={failure !== undefined} />
            <IconButton
              label="Refresh"
              icon={RefreshCw}
              // No spinner while the list is polled.
              pending={isFetching && !all?.some(isInProgress)}
              onClick={() => void refetch()}
            />
          </>
        }
        onHide={(next) => show({ ...view, hidden: next }, true)}
        label="Backups"
        columns={COLUMNS}
        rows={filtered?.rows}
        rowId={getFileName}
        rowLabel={getFileName}
        rowMenu={rowMenu}
        hidden={hidden}
        {...getSortProps(view, show, SORT_KEYS)}
        refetching={isFetching && failure !== undefined}
        error={failure}
        onRetry={() => void refetch()}
        // The buttons of the rows start a download at once.
        footer={<AddressNote />}
        empty={
          <EmptyState icon={Archive} title={`${site.name} has no backups yet`} actions={<RequestLink />}>
            A backup is one file with all data of the site, from which the site can be restored. Request the
            first one, or schedule daily backups.
          </EmptyState>
        }
        onClearFilters={isFiltered(view) ? () => show({ ...view, q: '', status: [], kind: [] }) : undefined}
      />
    </Page>
  );
}

function formatMeta(all: readonly Backup[]): string {
  const bytes = all.reduce((sum, { size }) => sum + (size ?? 0), 0);
  return `${pluralize(all.length, 'backup', 'backups')}${bytes > 0 ? ` · ${formatSize(bytes)}` : ''}`;
}

function RequestLink() {
  return (
    <Link to="/backups/new" search={(now) => now} className={buttonClass({ variant: 'primary' })}>
      <Plus />
      Request a backup
    </Link>
  );
}

interface BackupsFiltersProps extends ReturnType<typeof useBackupsView> {
  counts: ReturnType<typeof filterBackups>['counts'] | undefined;
}

/** Search, and filters with counts. */
function BackupsFilters({ view, show, type, settle, counts }: BackupsFiltersProps) {
  return (
    <>
      <SearchField
        label="Search backups"
        placeholder="File, user, type or SHA-256"
        value={view.q}
        onChange={type}
        onBlur={settle}
      />
      <FilterChip
        label="State"
        options={STATES.map((value) => ({
          value,
          label: STATE_LABELS[value],
          count: counts?.state[value] ?? 0,
        }))}
        value={view.status}
        onChange={(status) => show({ ...view, status })}
      />
      <FilterChip
        label="Kind"
        options={KINDS.map((value) => ({
          value,
          label: KIND_LABELS[value],
          count: counts?.kind[value] ?? 0,
        }))}
        value={view.kind}
        onChange={(kind) => show({ ...view, kind })}
      />
    </>
  );
}

const route = getRouteApi('/_app/backups/_list');

/** State of the list from the URL, with the search that is being typed. */
function useBackupsView() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const urlView = useMemo(() => parseBackupsView({ ...search }), [search]);
  return useDebouncedView({
    view: urlView,
    write: (view, replace) => navigate({ to: '.', search: serializeBackupsView(view), replace }),
  });
}

/** The schedule in one line, with a link to change it. */
function ScheduleCard() {
  const { data, error, refetch, isFetching } = useQuery(getBackupSettingsOptions());
  return (
    <section className="card backup-schedule" aria-label="Schedule">
      <CalendarClock />
      <div className="backup-schedule-text">
        {data && <ScheduleSummary settings={data} />}
        {data?.isDaily && <LastScheduledBackup />}
        {!data && error && (
          <span>The schedule could not be loaded: {endSentence(toServiceError(error).message)}</span>
        )}
        {!data && !error && <Skeleton width="320px" />}
      </div>
      {!data && error ? (
        <Button size="small" pending={isFetching} onClick={() => void refetch()}>
          Try again
        </Button>
      ) : (
        <Link
          to="/backups/schedule"
          search={(now) => now}
          className={buttonClass({ size: 'small' })}
          aria-label="Change schedule"
        >
          Change
        </Link>
      )}
    </section>
  );
}

/** State and verification of the last scheduled backup. */
function LastScheduledBackup() {
  const { data: all } = useQuery(backupsQuery);
  const last = all?.find((one) => one.isScheduled && !isInProgress(one));
  if (!last) return null;
  return (
    <span className="backup-last">
      <Link to="/backups/$fileName" params={{ fileName: last.fileName }}>
        Last backup
      </Link>
      <StateBadge backup={last} />
      {last.verified && <VerificationBadge verified={last.verified} />}
    </span>
  );
}

function ScheduleSummary({ settings }: { settings: BackupSettings }) {
  const { timeZone } = useSession().site;
  const { isDaily, hour } = settings;
  if (!isDaily)
    return (
      <>
        <strong>No schedule.</strong> Backups are created on request only.
      </>
    );
  return (
    <>
      <strong>Every day at {formatScheduleTime(hour, timeZone, getBrowserTimeZone())}</strong>{' '}
      <span className="person-soft">
        {formatScheduleRules(settings)} · next {formatDistance(new Date(getNextRunTime(hour, timeZone)))}
      </span>
    </>
  );
}

const none = <span className="person-none">—</span>;

/** Columns of the list of backups. */
const COLUMNS: readonly Column<Backup>[] = [
  {
    id: 'name',
    header: 'File',
    minWidth: 222,
    sortable: true,
    cell: ({ fileName }, { tabIndex }) => (
      <Link to="/backups/$fileName" params={{ fileName }} tabIndex={tabIndex} title={fileName}>
        {fileName}
      </Link>
    ),
  },
  {
    id: 'status',
    header: 'State',
    width: 172,
    sortable: true,
    small: 'aside',
    cell: (backup) => <BackupState backup={backup} />,
  },
  {
    id: 'when',
    header: 'Requested',
    width: 116,
    sortable: true,
    cell: ({ createdDate }, { tabIndex }) =>
      createdDate === undefined ? none : <Timestamp at={createdDate} tabIndex={tabIndex} />,
  },
  {
    id: 'size',
    header: 'Size',
    width: 84,
    align: 'end',
    sortable: true,
    cell: ({ size }) => (typeof size === 'number' ? formatSize(size) : none),
  },
  {
    id: 'contents',
    header: 'Contents',
    width: 132,
    small: 'line',
    cell: (backup) => (
      <span className="person-soft" title={backup.entryTypes?.join(', ')}>
        {formatContents(backup)}
      </span>
    ),
  },
  {
    id: 'kind',
    header: 'By',
    width: 106,
    cell: (backup) => (
      <span className="person-soft" title={formatRequester(backup)}>
        {formatRequester(backup)}
      </span>
    ),
  },
  {
    id: 'sha256',
    header: 'SHA-256',
    width: 130,
    cell: ({ fileName, sha256 }, { tabIndex }) =>
      sha256 ? (
        <span className="backup-hash">
          <span className="mono" title={sha256}>
            {formatShortHash(sha256)}
          </span>
          <IconButton
            label={`Copy SHA-256 of ${fileName}`}
            icon={Copy}
            size="small"
            tabIndex={tabIndex}
            onClick={() => void copyText(sha256)}
          />
        </span>
      ) : (
        none
      ),
  },
  {
    id: 'download',
    header: 'Download',
    width: 126,
    small: 'line',
    cell: (backup, { tabIndex }) => <DownloadButton backup={backup} size="small" tabIndex={tabIndex} />,
  },
];
