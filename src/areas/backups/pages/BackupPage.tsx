import { useQuery } from '@tanstack/react-query';
import { Link, getRouteApi, useRouter } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import type { ReactNode } from 'react';
import type { BackupDownloadRecord } from '../../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import { listBackupDownloadsOptions } from '../../../api/generated/queries/backups.gen.ts';
import { QueryAge } from '../../../app/freshness/DataAge.tsx';
import { formatDuration } from '../../../lib/dates/durations.ts';
import { formatNumber } from '../../../lib/numbers.ts';
import { formatPercent } from '../../../lib/percentages.ts';
import { formatSize } from '../../../lib/sizes.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { CopyButton } from '../../../ui/button/CopyButton.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Breadcrumbs } from '../../../ui/layout/Breadcrumbs.tsx';
import { Card, CardBody, Fact, Facts } from '../../../ui/layout/Card.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { TabLinks } from '../../../ui/layout/TabLinks.tsx';
import { Timestamp } from '../../../ui/layout/Timestamp.tsx';
import { MenuButton } from '../../../ui/menu/MenuButton.tsx';
import type { Column } from '../../../ui/table/columns.ts';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { AddressNote } from '../download/AddressNote.tsx';
import { getDownloadActions, formatHashCheck, formatProgress } from '../download/download-job.ts';
import { useDownloads } from '../download/download.ts';
import { formatCheck, hasFailed, useFileChecks } from '../download/file-checks.ts';
import type { DownloadItem } from '../download/resumable-download.ts';
import { getSaveMethod } from '../download/save-target.ts';
import type { SaveMethod } from '../download/save-target.ts';
import { backupsQuery, isInProgress } from '../model/backups.ts';
import type { Backup } from '../model/backups.ts';
import { formatRequester, formatFailure, formatStage } from '../model/format.ts';
import type { BackupPageView } from '../model/view.ts';
import { StateBadge, VerificationBadge } from './BackupState.tsx';
import { CompareTab, SincePrevious } from './CompareTab.tsx';
import { ContentsTab } from './ContentsTab.tsx';
import { DownloadButton } from './DownloadButton.tsx';
import { useBackupMenu } from './use-backup-menu.ts';
import '../panels/backups.css';

const route = getRouteApi('/_app/backups/$fileName');

/** One backup: overview, contents, comparison with another backup, and downloads. */
export function BackupPage() {
  const { fileName } = route.useParams();
  const { data: all } = useQuery(backupsQuery);
  const backup = all?.find((one) => one.fileName === fileName);
  if (!all) return null;
  if (backup) return <BackupDetails backup={backup} all={all} />;
  return (
    <Page title={fileName} breadcrumbs={<Breadcrumbs />}>
      <EmptyState title="This backup no longer exists" actions={<Link to="/backups">Show the backups</Link>}>
        It was deleted, or its retention period has ended.
      </EmptyState>
    </Page>
  );
}

function BackupDetails({ backup, all }: { backup: Backup; all: readonly Backup[] }) {
  const view = route.useSearch();
  const router = useRouter();
  const items = useBackupMenu(() => void router.navigate({ to: '/backups' }));
  const download = useDownloads().get(backup.fileName);
  const { fileName, status, createdDate, size, failure } = backup;
  return (
    <Page
      // Tables fill the height of the page.
      fill={view.tab !== 'overview'}
      breadcrumbs={<Breadcrumbs />}
      title={<span className="backup-name">{fileName}</span>}
      badge={<StateBadge backup={backup} />}
      meta={
        <>
          {typeof size === 'number' && `${formatSize(size)} · `}
          {formatRequester(backup)}
          {createdDate !== undefined && (
            <>
              {' · '}
              <Timestamp at={createdDate} />
            </>
          )}
        </>
      }
      actions={
        <>
          <DownloadButton backup={backup} variant="primary" />
          <MenuButton label={`Actions for ${fileName}`} variant="default" items={() => items(backup)} />
        </>
      }
    >
      {status === 'Failed' && (
        <Banner tone={failure?.reason === 'cancelled' ? 'info' : 'bad'} title={formatFailure(backup)}>
          No file was created. You can request another backup at any time.
        </Banner>
      )}
      {isInProgress(backup) && <ProgressCard backup={backup} />}
      {download && <DownloadCard download={download} />}
      <Tabs backup={backup} all={all} view={view} />
    </Page>
  );
}

function ProgressCard({ backup }: { backup: Backup }) {
  const words = formatStage(backup);
  return (
    <section className="card backup-coming" aria-label="Progress">
      <progress value={backup.progress} max={100} aria-label={words} />
      <span className="num">
        {words}, {formatPercent(backup.progress / 100)}
      </span>
    </section>
  );
}

interface TabsProps {
  backup: Backup;
  all: readonly Backup[];
  view: BackupPageView;
}

function Tabs({ backup, all, view }: TabsProps) {
  const navigate = route.useNavigate();
  return (
    <>
      <TabLinks label="Backup">
        <Tab fileName={backup.fileName} view={view} tab="overview">
          Overview
        </Tab>
        <Tab fileName={backup.fileName} view={view} tab="contents">
          Contents
        </Tab>
        <Tab fileName={backup.fileName} view={view} tab="compare">
          Compare
        </Tab>
        <Tab fileName={backup.fileName} view={view} tab="downloads">
          Downloads
        </Tab>
      </TabLinks>
      {view.tab === 'overview' && (
        <>
          <SincePrevious backup={backup} all={all} />
          <BackupFacts backup={backup} />
        </>
      )}
      {view.tab === 'contents' && <ContentsTab backup={backup} />}
      {view.tab === 'compare' && (
        <CompareTab
          backup={backup}
          all={all}
          other={view.with}
          onOther={(name) =>
            void navigate({
              to: '.',
              search: { ...view, with: name },
              resetScroll: false,
            })
          }
        />
      )}
      {view.tab === 'downloads' && <DownloadsTab fileName={backup.fileName} />}
    </>
  );
}

interface TabProps {
  fileName: string;
  view: BackupPageView;
  tab: BackupPageView['tab'];
  children: string;
}

function Tab({ fileName, view, tab, children }: TabProps) {
  return (
    <Link
      to="/backups/$fileName"
      params={{ fileName }}
      search={{ ...view, tab }}
      resetScroll={false}
      // The first tab has no search parameters and would otherwise match all of them.
      activeOptions={{ exact: true }}
    >
      {children}
    </Link>
  );
}

/** Progress and result of the download of this backup in this tab. */
function DownloadCard({ download }: { download: DownloadItem }) {
  const { phase, received, size, address, problem } = download;
  const check = useFileChecks().get(download.fileName);
  const actions = getDownloadActions(download).map(({ label, onSelect }) => (
    <Button key={label} size="small" onClick={onSelect}>
      {label}
    </Button>
  ));
  if (phase === 'done')
    return (
      <Banner
        tone={check && hasFailed(check) ? 'bad' : download.matchesList ? 'ok' : 'info'}
        title="Downloaded"
        actions={
          <>
            {check && check.phase !== 'running' && (
              <Link
                to="/backups/verify"
                search={{ file: download.fileName }}
                className={buttonClass({ size: 'small' })}
              >
                Show members
              </Link>
            )}
            {actions}
          </>
        }
      >
        {formatHashCheck(download)}
        {check && ` ${formatCheck(check)}`}
      </Banner>
    );
  if (phase === 'failed')
    return (
      <Banner tone="bad" title="Not downloaded" actions={actions}>
        {formatProgress(download)}
      </Banner>
    );
  return (
    <section className="card backup-coming" aria-label="Download">
      <progress value={received} max={size ?? undefined} aria-label="Downloaded" />
      <span className="num">
        {formatProgress(download)}
        {address !== undefined && problem === undefined && ` · link for ${address}`}
      </span>
      <span className="backup-coming-acts">{actions}</span>
    </section>
  );
}

const COLUMNS: readonly Column<BackupDownloadRecord>[] = [
  {
    id: 'person',
    header: 'User',
    minWidth: 170,
    cell: ({ userId, fullName, userName }, { tabIndex }) => (
      <Link to="/users/$userId" params={{ userId }} tabIndex={tabIndex} title={userName}>
        {fullName === '' ? userName : fullName}
      </Link>
    ),
  },
  { id: 'email', header: 'E-mail', minWidth: 170, cell: ({ userName }) => userName },
  {
    id: 'when',
    header: 'Started',
    width: 120,
    small: 'aside',
    cell: ({ startedDate }, { tabIndex }) => <Timestamp at={startedDate} tabIndex={tabIndex} />,
  },
  {
    id: 'address',
    header: 'From',
    width: 160,
    small: 'line',
    cell: ({ ipAddress }) => <span className="mono">{ipAddress ?? '—'}</span>,
  },
  { id: 'sent', header: 'Sent', width: 110, align: 'end', cell: ({ bytesSent }) => formatSize(bytesSent) },
  {
    id: 'end',
    header: 'Result',
    width: 130,
    cell: ({ isComplete }) => (
      <Badge tone={isComplete ? 'ok' : 'neutral'}>{isComplete ? 'Complete' : 'Incomplete'}</Badge>
    ),
  },
];
const getDownloadId = ({ startedDate, userId, ipAddress }: BackupDownloadRecord) =>
  `${startedDate} ${userId} ${ipAddress ?? ''}`;
const getDownloaderName = ({ fullName, userName }: BackupDownloadRecord) =>
  fullName === '' ? userName : fullName;

/** Downloads of a backup. */
function DownloadsTab({ fileName }: { fileName: string }) {
  const query = useQuery({ ...listBackupDownloadsOptions({ path: { fileName } }), staleTime: 0 });
  const { data, error, refetch, isFetching } = query;
  return (
    <DataTable
      label="Downloads"
      columns={COLUMNS}
      rows={data}
      rowId={getDownloadId}
      rowLabel={getDownloaderName}
      error={error === null ? undefined : toServiceError(error)}
      onRetry={() => void refetch()}
      refetching={isFetching && error !== null}
      footer={<QueryAge query={query} />}
      empty={
        <EmptyState icon={Download} title="No downloads">
          Each download is listed here with user, time and IP address.
        </EmptyState>
      }
    />
  );
}

const SAVE_METHOD_TEXTS: Record<SaveMethod, string> = {
  file: 'The file is written to the location you choose and checked while it downloads; then each member is compared with the manifest.',
  stored:
    'The browser stores the file first, checks it, and then saves it; then each member is compared with the manifest.',
  browser:
    'The browser downloads the file itself: the download cannot be paused or checked here. Over HTTPS it can. Verify the file when it is saved.',
};

/** Overview of a backup: its properties, its hash and verification, and how downloads work. */
function BackupFacts({ backup }: { backup: Backup }) {
  return (
    <div className="backup-facts">
      <div className="backup-facts-side">
        <Card title="Details">
          <Facts>
            <Fact label="Requested">
              {formatRequester(backup)}
              <DatePart at={backup.createdDate}> · </DatePart>
            </Fact>
            <Fact label="Created">
              <CreationTime backup={backup} />
            </Fact>
            <Fact label="Entry types">
              <EntryTypes backup={backup} />
            </Fact>
            <Fact label="Files of entries">{backup.includesFiles ? 'Included' : 'Not included'}</Fact>
            {typeof backup.schemaVersion === 'number' && (
              <Fact label="Schema version">{formatNumber(backup.schemaVersion)}</Fact>
            )}
          </Facts>
        </Card>
        <Card title="Download">
          <CardBody>
            <div className="backup-download-notes">
              <p>{SAVE_METHOD_TEXTS[getSaveMethod()]}</p>
              <AddressNote />
              <p>A link is valid for 5 minutes and is requested when you start the download.</p>
              <p>Each download is recorded with user, time and IP address.</p>
            </div>
          </CardBody>
        </Card>
      </div>
      <Card
        title="Integrity"
        actions={
          <Link to="/backups/verify" className={buttonClass({ size: 'small' })}>
            Verify a file
          </Link>
        }
      >
        <Facts>
          <Fact label="Size">
            {typeof backup.size === 'number'
              ? `${formatSize(backup.size)} (${formatNumber(backup.size)} bytes)`
              : '—'}
          </Fact>
          <Fact label="SHA-256">
            {backup.sha256 ? (
              <>
                <code className="backup-sha">{backup.sha256}</code>
                <CopyButton value={backup.sha256} label="Copy SHA-256" />
              </>
            ) : (
              '—'
            )}
          </Fact>
          <Fact label="Verified">
            {backup.verified ? <VerificationBadge verified={backup.verified} /> : 'Not yet'}
            <DatePart at={backup.verified?.date}> </DatePart>
            {backup.verified?.message && <p className="backup-differs">{backup.verified.message}</p>}
          </Fact>
        </Facts>
      </Card>
    </div>
  );
}

function DatePart({ at, children }: { at: string | null | undefined; children: ReactNode }) {
  return at ? (
    <>
      {children}
      <Timestamp at={at} />
    </>
  ) : null;
}

function CreationTime({ backup: { startedDate, finishedDate } }: { backup: Backup }) {
  if (!startedDate) return 'Not yet';
  if (!finishedDate) return <DatePart at={startedDate}>Since </DatePart>;
  const seconds = (Date.parse(finishedDate) - Date.parse(startedDate)) / 1000;
  return <DatePart at={finishedDate}>Took {formatDuration(seconds)} · </DatePart>;
}

const MAX_INLINE_TYPES = 12;

function EntryTypes({ backup: { isWholeSite, entryTypes: names = [] } }: { backup: Backup }) {
  if (names.length === 0) return 'All';
  const all = isWholeSite ? 'All: ' : '';
  if (names.length <= MAX_INLINE_TYPES) return all + names.join(', ');
  return (
    <details>
      <summary>
        {all}
        {formatNumber(names.length)}
      </summary>
      {names.join(', ')}
    </details>
  );
}
