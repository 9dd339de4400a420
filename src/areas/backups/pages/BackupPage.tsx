import { useQuery } from '@tanstack/react-query';
import { Link, getRouteApi, useRouter } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { useDownloads } from '../download/download.ts';
import { backupsQuery, isBeingMade } from '../download/list.ts';
import type { Backup } from '../download/list.ts';
import { sizeWords } from '../download/units.ts';
import { failureWords, stageWords } from '../download/watch.ts';
import { Trail } from '../../../ui/layout/Trail.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { Moment } from '../../../ui/layout/Moment.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { TabLinks } from '../../../ui/layout/TabLinks.tsx';
import { MenuButton } from '../../../ui/menu/MenuButton.tsx';
import { BackupFacts } from './BackupFacts.tsx';
import { CompareTab } from './CompareTab.tsx';
import { ContentsTab } from './ContentsTab.tsx';
import { readDetail, writeDetail } from '../model/detail-view.ts';
import type { DetailView } from '../model/detail-view.ts';
import { DownloadButton } from './DownloadButton.tsx';
import { useBackupItems } from './use-items.ts';
import { SincePrevious } from './SincePrevious.tsx';
import { StateBadge } from './State.tsx';
import { askedWords } from '../model/words.ts';
import { actionsOf, checkWords, progressWords } from '../download/tray.ts';
import type { ShownDownload } from '../download/download.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { toServiceError } from '../../../api/errors.ts';
import { listBackupDownloadsOptions } from '../../../api/generated/@tanstack/react-query.gen.ts';
import type { BackupDownloadRecord } from '../../../api/generated/types.gen.ts';
import { Badge } from '../../../ui/layout/Badge.tsx';
import type { Column } from '../../../ui/table/columns.ts';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import './backups.css';

const route = getRouteApi('/_app/backups/$fileName');

/** One backup: what it is, what is in it, how it differs from another one, and who has it. */
export function BackupPage() {
  const { fileName } = route.useParams();
  const { data: all } = useQuery(backupsQuery);
  const backup = all?.find((one) => one.fileName === fileName);
  if (!all) return null;
  if (backup) return <Found backup={backup} all={all} />;
  return (
    <Page title={fileName} breadcrumbs={<Trail />}>
      <EmptyState title="This backup is gone" actions={<Link to="/backups">Show the backups</Link>}>
        Somebody has deleted it meanwhile, or its days were over.
      </EmptyState>
    </Page>
  );
}

function Found({ backup, all }: { backup: Backup; all: readonly Backup[] }) {
  const view = readDetail({ ...route.useSearch() });
  const router = useRouter();
  const items = useBackupItems(() => void router.navigate({ to: '/backups' }));
  const download = useDownloads().get(backup.fileName);
  const { fileName, status, createdDate, size, failure } = backup;
  return (
    <Page
      // A table takes the height there is.
      fill={view.tab !== 'overview'}
      breadcrumbs={<Trail />}
      title={<span className="backup-name">{fileName}</span>}
      badge={<StateBadge backup={backup} />}
      meta={
        <>
          {typeof size === 'number' && `${sizeWords(size)} · `}
          {askedWords(backup)}
          {createdDate !== undefined && (
            <>
              {' · '}
              <Moment at={createdDate} />
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
        <Banner tone={failure?.reason === 'cancelled' ? 'info' : 'bad'} title={failureWords(backup)}>
          No file was made. Ask for another backup whenever you want one.
        </Banner>
      )}
      {isBeingMade(backup) && <Making backup={backup} />}
      {download && <DownloadCard download={download} />}
      <Tabs backup={backup} all={all} view={view} />
    </Page>
  );
}

function Making({ backup }: { backup: Backup }) {
  const words = stageWords(backup);
  return (
    <section className="card backup-coming" aria-label="Progress">
      <progress value={backup.progress} max={100} aria-label={words} />
      <span className="num">
        {words}, {backup.progress} %
      </span>
    </section>
  );
}

interface TabsProps {
  backup: Backup;
  all: readonly Backup[];
  view: DetailView;
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
            void navigate({ to: '.', search: writeDetail({ ...view, with: name }), resetScroll: false })
          }
        />
      )}
      {view.tab === 'downloads' && <DownloadsTab fileName={backup.fileName} />}
    </>
  );
}

interface TabProps {
  fileName: string;
  view: DetailView;
  tab: DetailView['tab'];
  children: string;
}

function Tab({ fileName, view, tab, children }: TabProps) {
  return (
    <Link
      to="/backups/$fileName"
      params={{ fileName }}
      search={writeDetail({ ...view, tab })}
      resetScroll={false}
      // Without it the first tab, whose address says nothing, would be shown with every other.
      activeOptions={{ exact: true }}
    >
      {children}
    </Link>
  );
}

/** A download of this backup in this tab: how far, how fast, for which address, and at the end whether it is right. */
function DownloadCard({ download }: { download: ShownDownload }) {
  const { phase, received, size, address, trouble } = download;
  const actions = actionsOf(download).map(({ label, onSelect }) => (
    <Button key={label} size="small" onClick={onSelect}>
      {label}
    </Button>
  ));
  if (phase === 'done')
    return (
      <Banner tone={download.isAsListed ? 'ok' : 'info'} title="Downloaded" actions={actions}>
        {checkWords(download)}
      </Banner>
    );
  if (phase === 'failed')
    return (
      <Banner tone="bad" title="Not downloaded" actions={actions}>
        {progressWords(download)}
      </Banner>
    );
  return (
    <section className="card backup-coming" aria-label="Download">
      <progress value={received} max={size ?? undefined} aria-label="Downloaded" />
      <span className="num">
        {progressWords(download)}
        {address !== undefined && trouble === undefined && ` · link for ${address}`}
      </span>
      <span className="backup-coming-acts">{actions}</span>
    </section>
  );
}

const COLUMNS: readonly Column<BackupDownloadRecord>[] = [
  {
    id: 'person',
    header: 'Person',
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
    header: 'Begun',
    width: 120,
    small: 'aside',
    cell: ({ startedDate }, { tabIndex }) => <Moment at={startedDate} tabIndex={tabIndex} />,
  },
  {
    id: 'address',
    header: 'From',
    width: 160,
    small: 'line',
    cell: ({ ipAddress }) => <span className="mono">{ipAddress ?? '—'}</span>,
  },
  { id: 'sent', header: 'Sent', width: 110, align: 'end', cell: ({ bytesSent }) => sizeWords(bytesSent) },
  {
    id: 'end',
    header: 'End',
    width: 130,
    cell: ({ isComplete }) => (
      <Badge tone={isComplete ? 'ok' : 'neutral'}>{isComplete ? 'Complete' : 'Not complete'}</Badge>
    ),
  },
];
const idOf = ({ startedDate, userId, ipAddress }: BackupDownloadRecord) =>
  `${startedDate} ${userId} ${ipAddress ?? ''}`;
const nameOf = ({ fullName, userName }: BackupDownloadRecord) => (fullName === '' ? userName : fullName);

/** Who has it, since when, and from where. */
function DownloadsTab({ fileName }: { fileName: string }) {
  const query = useQuery({ ...listBackupDownloadsOptions({ path: { fileName } }), staleTime: 0 });
  const { data, error, refetch, isFetching } = query;
  return (
    <DataTable
      label="Downloads"
      columns={COLUMNS}
      rows={data}
      rowId={idOf}
      rowLabel={nameOf}
      error={error === null ? undefined : toServiceError(error)}
      onRetry={() => void refetch()}
      refetching={isFetching && error !== null}
      empty={
        <EmptyState icon={Download} title="Nobody has downloaded it">
          Each download is listed here, with the person, the time and the address it came from.
        </EmptyState>
      }
    />
  );
}
