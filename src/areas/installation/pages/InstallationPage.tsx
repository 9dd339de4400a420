import { useQuery } from '@tanstack/react-query';
import { Server } from 'lucide-react';
import type { ReactNode } from 'react';
import type {
  Installation,
  InstallationCheck,
  InstallationProcess,
} from '../../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import { QueryAge } from '../../../app/freshness/DataAge.tsx';
import { formatDuration } from '../../../lib/dates/durations.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { formatSize } from '../../../lib/sizes.ts';
import { formatIdentifier } from '../../../lib/text/sentences.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Card, CardRow, Fact, Facts } from '../../../ui/layout/Card.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { Timestamp } from '../../../ui/layout/Timestamp.tsx';
import type { Column } from '../../../ui/table/columns.ts';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { formatQueue, installationQuery, sortChecks, summarizeChecks } from '../model/installation.ts';
import './installation.css';

/** What the metrics, `/readyz` and `steward doctor` know, for platform administrators. */
export function InstallationPage() {
  const query = useQuery(installationQuery);
  const { data, error, refetch, isRefetching } = query;
  const failure = error === null ? undefined : toServiceError(error);
  if (failure?.status === 403 && !data) throw failure;
  return (
    <Page
      title="Installation"
      meta={
        data && (
          <>
            Steward {data.version} · <QueryAge query={query} />
          </>
        )
      }
    >
      {failure && data && (
        <Banner tone="warn" title="These figures may be out of date">
          {failure.message}
        </Banner>
      )}
      {failure && !data && (
        <ErrorState
          title="The state of the installation could not be loaded"
          onRetry={() => void refetch()}
          retrying={isRefetching}
          requestId={failure.requestId}
        >
          {failure.message}
        </ErrorState>
      )}
      {!failure && !data && (
        <Card title="Checks">
          <SkeletonRows rows={8} />
        </Card>
      )}
      {data && <State installation={data} />}
    </Page>
  );
}

function State({ installation }: { installation: Installation }) {
  const { checks, processes } = installation;
  return (
    <div className="installation">
      <ChecksCard checks={checks} />
      <DataTable
        label="Processes"
        columns={PROCESS_COLUMNS}
        rows={processes}
        twoLines
        rowId={getProcessId}
        rowLabel={getProcessName}
        empty={
          <EmptyState icon={Server} title="No heartbeat yet">
            Each process of the service sends one every 30 seconds.
          </EmptyState>
        }
      />
      <div className="installation-cards">
        <DatabaseCard database={installation.database} />
        <FilesCard files={installation.files} />
        <WorkCard installation={installation} />
        <BackupsCard backups={installation.backups} copies={installation.copies} />
      </div>
    </div>
  );
}

const TONES = { ok: 'ok', warning: 'warn', problem: 'bad' } as const;
const STATUS_LABELS = { ok: 'OK', warning: 'Warning', problem: 'Problem' } as const;
const CHECK_NAMES: Readonly<Record<string, string>> = { tls: 'TLS' };

/** Failed checks with what to do about them; those that passed can be opened. */
function ChecksCard({ checks }: { checks: readonly InstallationCheck[] }) {
  const summary = summarizeChecks(checks);
  const sorted = sortChecks(checks);
  const failed = sorted.filter(({ status }) => status !== 'ok');
  const passed = sorted.filter(({ status }) => status === 'ok');
  const title = summary === undefined ? 'Checks' : `Checks: ${summary}`;
  return (
    <Card title={title}>
      <div>
        {failed.map((check) => (
          <CheckRow key={`${check.check} ${check.message}`} check={check} />
        ))}
        {passed.length > 0 && (
          <details className="installation-passed">
            <summary>{pluralize(passed.length, 'check passed', 'checks passed')}</summary>
            {passed.map((check) => (
              <CheckRow key={`${check.check} ${check.message}`} check={check} />
            ))}
          </details>
        )}
      </div>
    </Card>
  );
}

function CheckRow({ check: { check, status, message, fix } }: { check: InstallationCheck }) {
  return (
    <CardRow
      title={CHECK_NAMES[check] ?? formatIdentifier(check)}
      description={
        <>
          {message}
          {fix !== undefined && <span className="installation-fix">{fix}</span>}
        </>
      }
      action={<Badge tone={TONES[status]}>{STATUS_LABELS[status]}</Badge>}
    />
  );
}

const getProcessId = ({ host, pid, startedDate }: InstallationProcess) => `${host} ${pid} ${startedDate}`;
const getProcessName = ({ host, pid }: InstallationProcess) => `${host}, process ${pid}`;

/** Delay from which users notice it. */
const SLOW_MS = 100;

function Delay({ ms }: { ms: number | null }) {
  if (ms === null) return '–';
  const text = `${formatNumber(Math.round(ms))} ms`;
  return ms >= SLOW_MS ? <Badge tone="warn">{text}</Badge> : text;
}

const PROCESS_COLUMNS: readonly Column<InstallationProcess>[] = [
  {
    id: 'host',
    header: 'Process',
    minWidth: 210,
    cell: ({ host, pid, isThis }) => (
      <span className="tbl-lines">
        <span title={host}>{host}</span>
        <small>{isThis ? `Process ${pid}, served this page` : `Process ${pid}`}</small>
      </span>
    ),
  },
  {
    id: 'seen',
    header: 'Last heartbeat',
    width: 120,
    small: 'aside',
    cell: ({ seenDate, isSilent }, { tabIndex }) => (
      <span className="tbl-lines">
        <Timestamp at={seenDate} tabIndex={tabIndex} />
        {isSilent && <Badge tone="bad">Silent</Badge>}
      </span>
    ),
  },
  {
    id: 'version',
    header: 'Version',
    width: 112,
    small: 'line',
    cell: ({ version, nodeVersion }) => (
      <span className="tbl-lines">
        <span>{version}</span>
        <small>Node {nodeVersion}</small>
      </span>
    ),
  },
  {
    id: 'started',
    header: 'Started',
    width: 100,
    cell: ({ startedDate }, { tabIndex }) => <Timestamp at={startedDate} tabIndex={tabIndex} />,
  },
  {
    id: 'loop',
    header: 'Loop delay',
    align: 'end',
    width: 100,
    cell: ({ loopDelayMs }) => <Delay ms={loopDelayMs} />,
  },
  {
    id: 'connections',
    header: 'Connections',
    align: 'end',
    width: 112,
    cell: ({ connectionsInUse, maxConnections }) =>
      `${formatNumber(connectionsInUse)} of ${formatNumber(maxConnections)}`,
  },
  {
    id: 'wait',
    header: 'Connection wait',
    align: 'end',
    width: 140,
    cell: ({ connectionWaitMs }) => <Delay ms={connectionWaitMs} />,
  },
  {
    id: 'memory',
    header: 'Memory',
    align: 'end',
    width: 92,
    cell: ({ memoryBytes }) => formatSize(memoryBytes),
  },
];

const KINDS = { embedded: 'Embedded', postgres: 'PostgreSQL' } as const;

function DatabaseCard({ database }: { database: Installation['database'] }) {
  const { lockWaits, longestLockWaitSeconds, pendingMigrations, newerMigrations, newestMigration } = database;
  return (
    <Card title="Database">
      <Facts>
        <Fact label="Kind">{`${KINDS[database.kind]} ${database.version}`}</Fact>
        <Fact label="Size">{formatSize(database.sizeBytes)}</Fact>
        <Fact label="Migrations">
          {pluralize(database.appliedMigrations, 'migration', 'migrations')}
          {newestMigration !== null && (
            <>
              , newest <span className="mono">{newestMigration}</span>
            </>
          )}
          <Names label="Pending" tone="bad" names={pendingMigrations} />
          <Names label="From a newer version" tone="info" names={newerMigrations} />
        </Fact>
        <Fact label="Waiting for locks">
          {lockWaits === 0
            ? 'Nothing'
            : `${pluralize(lockWaits, 'statement', 'statements')}, the longest for ${formatDuration(longestLockWaitSeconds)}`}
        </Fact>
      </Facts>
    </Card>
  );
}

function Names({ label, tone, names }: { label: string; tone: 'bad' | 'info'; names: readonly string[] }) {
  if (names.length === 0) return null;
  return (
    <div>
      <Badge tone={tone}>{label}</Badge> <span className="mono">{names.join(', ')}</span>
    </div>
  );
}

/** Share of the disk in use from which it is marked. */
const NEARLY_FULL = 0.9;

function FilesCard({ files: { folder, usedBytes, freeBytes, totalBytes } }: Pick<Installation, 'files'>) {
  const isBucket = folder.startsWith('s3://');
  const isNearlyFull =
    freeBytes !== null && totalBytes !== null && freeBytes < (1 - NEARLY_FULL) * totalBytes;
  return (
    <Card title="Files">
      <Facts>
        <Fact label={isBucket ? 'Bucket' : 'Folder'}>
          <span className="mono">{folder}</span>
        </Fact>
        <Fact label="Files of all sites">{formatSize(usedBytes)}</Fact>
        {!isBucket && (
          <Fact label="Free on the disk">
            {freeBytes === null || totalBytes === null ? (
              'The folder cannot be read'
            ) : isNearlyFull ? (
              <Badge tone="warn">{`${formatSize(freeBytes)} of ${formatSize(totalBytes)}`}</Badge>
            ) : (
              `${formatSize(freeBytes)} of ${formatSize(totalBytes)}`
            )}
          </Fact>
        )}
      </Facts>
    </Card>
  );
}

const QUEUE_NAMES = {
  jobs: 'Jobs',
  mail: 'Mail',
  calculations: 'Calculations',
  backups: 'Backups',
} as const satisfies Record<Installation['queues'][number]['queue'], string>;

/** Queues, jobs and what has failed. */
function WorkCard({
  installation: { queues, jobs, failedItems, outboxLagSeconds },
}: {
  installation: Installation;
}) {
  return (
    <Card title="Queues and jobs">
      <Facts>
        {queues.map((queue) => (
          <Fact key={queue.queue} label={QUEUE_NAMES[queue.queue]}>
            {formatQueue(queue)}
          </Fact>
        ))}
        <Fact label="Publications">
          {outboxLagSeconds < 1
            ? 'All events are delivered'
            : `The oldest event has waited ${formatDuration(outboxLagSeconds)}`}
        </Fact>
        <Fact label="Open jobs">
          <Lines
            none="None"
            lines={jobs.map(
              ({ kind, state, count }) =>
                `${formatIdentifier(kind.replaceAll(/[.-]/g, '_'))}: ${formatNumber(count)} ${state}`,
            )}
          />
        </Fact>
        <Fact label="Failed work">
          <Lines
            none="None"
            lines={failedItems.map(
              ({ task, state, count }) =>
                `${formatIdentifier(task)}: ${formatNumber(count)} ${state === 'parked' ? 'not retried any more' : 'retried'}`,
            )}
          />
        </Fact>
      </Facts>
    </Card>
  );
}

function Lines({ none, lines }: { none: string; lines: readonly string[] }) {
  if (lines.length === 0) return none;
  return (
    <ul className="installation-lines">
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}

const VERIFICATIONS = {
  queued: ['neutral', 'Verification queued'],
  running: ['neutral', 'Being verified'],
  passed: ['ok', 'Verified'],
  failed: ['bad', 'Verification failed'],
} as const;

/** Backups of sites, and copies of the embedded database. */
function BackupsCard({ backups, copies }: Pick<Installation, 'backups' | 'copies'>) {
  const { newestDate, newestVerification, failedLastDay, sites, sitesWithoutRecent } = backups;
  const [tone, verification] = newestVerification === null ? [] : VERIFICATIONS[newestVerification];
  return (
    <Card title="Backups and copies">
      <Facts>
        <Fact label="Newest backup">
          <Moment at={newestDate} none="None" /> {tone && <Badge tone={tone}>{verification}</Badge>}
        </Fact>
        <Fact label="Failed in 24 hours">
          {failedLastDay === 0 ? 'None' : <Badge tone="bad">{formatNumber(failedLastDay)}</Badge>}
        </Fact>
        <Fact label="Sites without one">
          {sitesWithoutRecent === 0 ? (
            'None: each has a backup of the last 7 days'
          ) : (
            <>
              <Badge tone="warn">{`${formatNumber(sitesWithoutRecent)} of ${formatNumber(sites)}`}</Badge>{' '}
              without a whole backup of the last 7 days
            </>
          )}
        </Fact>
        <Fact label="Newest copy">
          {copies === null ? (
            'No copies of the database are made by the service'
          ) : (
            <>
              <Moment at={copies.newestDate} none="None yet" />
              {copies.newestDate !== null && (
                <>
                  {' '}
                  <Badge tone="ok">Verified</Badge>
                </>
              )}
              {`, one every ${pluralize(copies.everyHours, 'hour', 'hours')}, ${pluralize(copies.count, 'copy', 'copies')} kept`}
            </>
          )}
        </Fact>
      </Facts>
    </Card>
  );
}

function Moment({ at, none }: { at: string | null; none: string }): ReactNode {
  return at === null ? none : <Timestamp at={at} />;
}
