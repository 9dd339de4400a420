import { useQueries, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CircleAlert, CircleCheck, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import type { ReactNode } from 'react';
import type {
  ChangedEntry,
  EntryTypeVm,
  Job,
  LicenseSeats,
} from '../../../../contract/generated/types.gen.ts';
import { capabilities } from '../../../../contract/rules/capabilities.ts';
import { isUnreachable, NO_ANSWER, toServiceError } from '../../../api/errors.ts';
import { readTwoFactorCoverageOptions } from '../../../api/generated/queries/access.gen.ts';
import { summarizeUserActivityOptions } from '../../../api/generated/queries/activity.gen.ts';
import { getBackupSettingsOptions, listBackupsOptions } from '../../../api/generated/queries/backups.gen.ts';
import {
  countChangedEntriesOptions,
  listChangedEntriesOptions,
} from '../../../api/generated/queries/entry-history.gen.ts';
import { listJobsOptions } from '../../../api/generated/queries/jobs.gen.ts';
import { listLicenseSeatsOptions } from '../../../api/generated/queries/licenses.gen.ts';
import { listEntryTypesOptions } from '../../../api/generated/queries/schema.gen.ts';
import {
  getSiteSettingsOptions,
  listTaskFailuresOptions,
} from '../../../api/generated/queries/settings.gen.ts';
import { getApiKeyOptions } from '../../../api/generated/queries/tokens.gen.ts';
import { hasAnyCapability, usePermission, useSession } from '../../../api/session.ts';
import { formatMoment, isToday } from '../../../lib/dates.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { formatSize } from '../../../lib/sizes.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { Avatar } from '../../../ui/layout/Avatar.tsx';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { Timestamp } from '../../../ui/layout/Timestamp.tsx';
import {
  countByDay,
  findAttention,
  findFailedJobs,
  listDays,
  SIGN_IN,
  toLinePoints,
} from '../model/attention.ts';
import type { AttentionItem } from '../model/attention.ts';
import './home.css';

const PERIOD_DAYS = 30;
const JOBS_SHOWN = 5;
const CHANGES_SHOWN = 8;
const TYPES_READ = 3;
const DAY_MS = 86_400_000;
/** Aggregates of a month change little within minutes. */
const STALE_MS = 5 * 60_000;
const OPEN_JOB_INTERVAL_MS = 2_000;

/** Reads everything the page shows, as far as the viewer may; each part loads and fails on its own. */
function useHome(openedAt: Date) {
  const days = listDays(openedAt, PERIOD_DAYS);
  const dateFrom = days[0] ?? '';
  const since = new Date(openedAt.getTime() - PERIOD_DAYS * DAY_MS).toISOString();
  const may = {
    seats: usePermission('listLicenseSeats').allowed,
    activity: usePermission('summarizeUserActivity').allowed,
    backups: usePermission('listBackups').allowed,
    coverage: usePermission('readTwoFactorCoverage').allowed,
    tasks: usePermission('listTaskFailures').allowed,
    settings: usePermission('getSiteSettings').allowed,
    entries: usePermission('listEntryTypes').allowed,
    changes: usePermission('listChangedEntries').allowed,
    key: usePermission('getApiKey').allowed,
  };
  const cached = { staleTime: STALE_MS };
  const seats = useQuery({
    ...listLicenseSeatsOptions({ query: { dateFrom } }),
    ...cached,
    enabled: may.seats,
  });
  const activity = useQuery({
    ...summarizeUserActivityOptions({
      body: { dateFrom: `${dateFrom}T00:00:00.000Z`, activities: [1, 2, 5, 6, 7] },
    }),
    ...cached,
    enabled: may.activity,
  });
  const backups = useQuery({ ...listBackupsOptions(), ...cached, enabled: may.backups });
  const schedule = useQuery({ ...getBackupSettingsOptions(), ...cached, enabled: may.backups });
  const coverage = useQuery({ ...readTwoFactorCoverageOptions(), ...cached, enabled: may.coverage });
  const tasks = useQuery({ ...listTaskFailuresOptions(), ...cached, enabled: may.tasks });
  const settings = useQuery({ ...getSiteSettingsOptions(), ...cached, enabled: may.settings });
  const types = useQuery({ ...listEntryTypesOptions(), ...cached, enabled: may.entries });
  const key = useQuery({ ...getApiKeyOptions(), ...cached, enabled: may.key });
  const changes = useQuery({
    ...countChangedEntriesOptions({ query: { modifiedSince: since } }),
    ...cached,
    enabled: may.changes,
  });
  const jobs = useQuery({
    ...listJobsOptions({ query: { owner: 'own', pageNumber: 1, pageSize: 20 } }),
    refetchInterval: ({ state }) => (state.data?.some(isOpen) ? OPEN_JOB_INTERVAL_MS : false),
  });
  const facts = {
    activity: activity.data?.counts,
    backups: backups.data?.data,
    isDailyBackup: schedule.data?.isDaily,
    coverage: coverage.data,
    jobs: jobs.data,
    taskFailures: tasks.data?.length,
    apiKey: key.data?.apiKey,
    expiredApiKey: key.data?.expiredApiKey,
    settings: settings.data,
  };
  const queries = { seats, activity, backups, coverage, tasks, settings, types, changes, jobs };
  return { days, since, may, facts, ...queries };
}

const isOpen = ({ finishedDate }: Job): boolean => finishedDate === null;

/** First page after the sign-in: what needs attention, key figures, recent changes and the viewer's jobs. */
export function HomePage() {
  const { site } = useSession();
  const [openedAt] = useState(() => new Date());
  const home = useHome(openedAt);
  const today = home.seats.data?.at(-1);
  const people = today && countPeople(today);
  const items = findAttention(home.facts, openedAt);
  const isLoading = [home.activity, home.backups, home.coverage, home.tasks].some(
    ({ isLoading: loading }) => loading,
  );
  const invite = usePermission('inviteExistingUser');
  return (
    <Page
      title={site.name}
      meta={
        people === undefined
          ? 'Overview'
          : `${pluralize(people, 'person', 'people')}${today ? ` · ${formatNumber(today.billable)} billable` : ''}`
      }
      actions={
        invite.allowed && (
          <Link to="/invitations/new" className={buttonClass({ variant: 'primary' })}>
            Invite people
          </Link>
        )
      }
    >
      <FirstSteps home={home} people={people} />
      <div className="home-grid">
        <AttentionCard items={items} isLoading={isLoading} jobs={home.jobs.data ?? []} now={openedAt} />
        <JobsCard jobs={home.jobs.data} error={home.jobs.error} onRetry={() => void home.jobs.refetch()} />
      </div>
      <Figures home={home} />
      <div className="home-grid">
        <ChangesCard home={home} />
        <PermissionsCard />
      </div>
    </Page>
  );
}

const countPeople = ({ standard, limited, free, none }: LicenseSeats): number =>
  standard + limited + free + none;

type Home = ReturnType<typeof useHome>;

interface AttentionCardProps {
  items: readonly AttentionItem[];
  isLoading: boolean;
  jobs: readonly Job[];
  now: Date;
}

function AttentionCard({ items, isLoading, jobs, now }: AttentionCardProps) {
  const [failedJob] = findFailedJobs(jobs, now);
  return (
    <Card title={items.length > 0 ? `Needs attention (${items.length})` : 'Needs attention'}>
      {items.length > 0 ? (
        <ul className="home-rows" aria-label="Needs attention">
          {items.map((item) => {
            const Icon = item.tone === 'bad' ? CircleAlert : TriangleAlert;
            return (
              <li key={item.id} className="home-row">
                <span className={`home-tile home-tile-${item.tone}`}>
                  <Icon aria-hidden />
                </span>
                <div className="home-text">
                  <strong>{item.title}</strong>
                  <p>{item.detail}</p>
                </div>
                <AttentionAction id={item.id} jobId={failedJob?.id} />
              </li>
            );
          })}
        </ul>
      ) : isLoading ? (
        <SkeletonRows rows={3} />
      ) : (
        <div className="home-row">
          <span className="home-tile home-tile-ok">
            <CircleCheck aria-hidden />
          </span>
          <div className="home-text">
            <strong>Nothing needs attention</strong>
            <p>Sign-ins, backups, second factors, jobs and keys are checked, as far as you may see them.</p>
          </div>
        </div>
      )}
    </Card>
  );
}

/** The page where an item is acted on. */
function AttentionAction({ id, jobId }: { id: AttentionItem['id']; jobId: number | undefined }) {
  const className = buttonClass({ size: 'small' });
  switch (id) {
    case 'failedSignIns':
      return (
        <Link to="/activity" search={{ range: 30, type: '2-5-6-7' }} className={className}>
          Investigate
        </Link>
      );
    case 'lockedOut':
      return (
        <Link to="/users" search={{ status: 'locked' }} className={className}>
          Show users
        </Link>
      );
    case 'backup':
      return (
        <Link to="/backups/schedule" className={className}>
          Open schedule
        </Link>
      );
    case 'secondFactor':
      return (
        <Link to="/settings/two-factor" className={className}>
          Show them
        </Link>
      );
    case 'jobs':
      return jobId === undefined ? (
        <Link to="/jobs" className={className}>
          See why
        </Link>
      ) : (
        <Link to="/jobs/$jobId" params={{ jobId }} className={className}>
          See why
        </Link>
      );
    case 'tasks':
    case 'storage':
      return (
        <Link to="/settings" className={className}>
          Open settings
        </Link>
      );
    case 'apiKey':
      return (
        <Link to="/profile" className={className}>
          Replace key
        </Link>
      );
  }
  return null;
}

interface JobsCardProps {
  jobs: readonly Job[] | undefined;
  error: unknown;
  onRetry: () => void;
}

function JobsCard({ jobs, error, onRetry }: JobsCardProps) {
  return (
    <Card
      title="My jobs"
      actions={
        <Link to="/jobs" className="home-all">
          All jobs
        </Link>
      }
    >
      {!jobs && (error ? <Failure error={error} onRetry={onRetry} /> : <SkeletonRows rows={3} />)}
      {jobs?.length === 0 && (
        <CardBody>
          <p className="home-quiet">
            Work on many people or entries runs in the background and is listed here.
          </p>
        </CardBody>
      )}
      {jobs && jobs.length > 0 && (
        <ul className="home-rows" aria-label="My jobs">
          {jobs.slice(0, JOBS_SHOWN).map((job) => (
            <JobRow key={job.id} job={job} />
          ))}
        </ul>
      )}
    </Card>
  );
}

function JobRow({ job }: { job: Job }) {
  const { id, title, total, done, unchanged, conflicts, failed, state, createdDate, finishedDate } = job;
  const processed = done + unchanged + conflicts + failed;
  return (
    <li className="home-job">
      <Link to="/jobs/$jobId" params={{ jobId: id }}>
        {title}
      </Link>
      {state === 'running' && <progress value={processed} max={Math.max(1, total)} aria-label={title} />}
      <p className="home-quiet num">
        {state === 'running'
          ? `${formatNumber(processed)} of ${formatNumber(total)}`
          : `${state.charAt(0).toUpperCase()}${state.slice(1)} · ${formatMoment(finishedDate ?? createdDate)}`}
        {failed > 0 && <span className="home-bad"> · {formatNumber(failed)} failed</span>}
      </p>
    </li>
  );
}

/** Why a part is not shown. The banner of the page explains a service that cannot be reached. */
function Failure({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const { message, ...rest } = toServiceError(error);
  const isBannerShown = isUnreachable(toServiceError(error)) && rest.code !== NO_ANSWER;
  return (
    <CardBody>
      <p className="home-quiet">
        {isBannerShown ? 'Not loaded: the service cannot be reached.' : `Not loaded: ${message}.`}
      </p>
      <Button size="small" onClick={onRetry}>
        Try again
      </Button>
    </CardBody>
  );
}

const CHART_WIDTH = 240;
const CHART_HEIGHT = 44;

/** Values of 30 days as bars or a line, without axes; the figure above says the same in words. */
function Sparkline({ values, isBars = false }: { values: readonly number[]; isBars?: boolean }) {
  const peak = Math.max(1, ...values);
  const step = CHART_WIDTH / Math.max(1, values.length);
  const points = isBars ? '' : toLinePoints(values, CHART_WIDTH, CHART_HEIGHT - 4);
  return (
    <div className="home-spark" aria-hidden>
      <svg viewBox={`0 0 ${CHART_WIDTH} ${CHART_HEIGHT}`} preserveAspectRatio="none">
        {isBars ? (
          values.map((value, index) => {
            const height = (value / peak) * (CHART_HEIGHT - 2);
            return (
              <rect
                // oxlint-disable-next-line react/no-array-index-key -- a day has no other key
                key={index}
                x={index * step}
                y={CHART_HEIGHT - height}
                width={step * 0.78}
                height={height}
                className={index === values.length - 1 ? 'home-bar-today' : 'home-bar'}
              />
            );
          })
        ) : (
          <>
            <polygon
              points={`0,${CHART_HEIGHT} ${points} ${CHART_WIDTH},${CHART_HEIGHT}`}
              className="home-area"
            />
            <polyline points={points} className="home-line" />
          </>
        )}
      </svg>
      <span>30 days ago</span>
      <span>today</span>
    </div>
  );
}

const signed = (value: number): string => `${value > 0 ? '↑' : '↓'} ${formatNumber(Math.abs(value))}`;

function Figure({
  label,
  value,
  note,
  children,
}: {
  label: ReactNode;
  value: string;
  note?: string | undefined;
  children?: ReactNode;
}) {
  return (
    <div className="home-figure">
      <dt>{label}</dt>
      <dd>
        <strong className="num">{value}</strong>
        {note !== undefined && <span className="home-quiet"> {note}</span>}
        {children}
      </dd>
    </div>
  );
}

/** Key figures of the last 30 days, as far as the viewer may read them. */
function Figures({ home }: { home: Home }) {
  const { days, may } = home;
  const signIns = home.activity.data && countByDay(home.activity.data.counts, [SIGN_IN], days);
  const billable = home.seats.data?.map(({ billable: seats }) => seats);
  const seatsNow = billable?.at(-1);
  const change = (seatsNow ?? 0) - (billable?.[0] ?? 0);
  const entries = home.types.data?.reduce((sum, { entryCount }) => sum + (entryCount ?? 0), 0);
  const created = home.changes.data?.reduce((sum, count) => sum + count.created, 0);
  const changed = home.changes.data?.reduce((sum, count) => sum + count.changed, 0);
  const storage = home.settings.data;
  if (!may.activity && !may.seats && !may.entries && !may.settings) return null;
  return (
    <dl className="home-figures">
      {may.activity && (
        <Figure
          label={
            <Link to="/activity" search={{ range: 30, type: 1 }}>
              Sign-ins
            </Link>
          }
          value={signIns ? formatNumber(signIns.reduce((sum, count) => sum + count, 0)) : '…'}
          note="in 30 days"
        >
          {signIns && <Sparkline values={signIns} isBars />}
        </Figure>
      )}
      {may.seats && (
        <Figure
          label={<Link to="/licenses">Billable seats</Link>}
          value={seatsNow === undefined ? '…' : formatNumber(seatsNow)}
          note={billable && (change === 0 ? 'as 30 days ago' : `${signed(change)} in 30 days`)}
        >
          {billable && <Sparkline values={billable} />}
        </Figure>
      )}
      {may.entries && (
        <Figure
          label={
            <Link to="/entries" search={{}}>
              Entries
            </Link>
          }
          value={entries === undefined ? '…' : formatNumber(entries)}
          note={home.types.data && `in ${pluralize(home.types.data.length, 'type', 'types')}`}
        >
          {created !== undefined && changed !== undefined && (
            <p className="home-quiet">
              {formatNumber(created)} created and {formatNumber(changed)} changed in 30 days
            </p>
          )}
        </Figure>
      )}
      {may.settings && (
        <Figure
          label={<Link to="/settings">Storage for files</Link>}
          value={storage ? formatSize(storage.storageUsedBytes) : '…'}
          note={
            storage && storage.storageLimitBytes !== null
              ? `of ${formatSize(storage.storageLimitBytes)}`
              : undefined
          }
        >
          {storage && storage.storageLimitBytes !== null && (
            <meter
              className="home-meter"
              aria-label="Storage for files"
              min={0}
              max={storage.storageLimitBytes}
              value={storage.storageUsedBytes}
            />
          )}
        </Figure>
      )}
    </dl>
  );
}

/** Latest changes of the entry types with the most changes, newest first. */
function ChangesCard({ home: { may, since, types, changes } }: { home: Home }) {
  const busiest = (changes.data ?? [])
    .toSorted((a, b) => b.created + b.changed + b.gone - (a.created + a.changed + a.gone))
    .slice(0, TYPES_READ);
  const lists = useQueries({
    queries: busiest.map(({ entryTypeId }) => ({
      ...listChangedEntriesOptions({
        path: { entryTypeId: String(entryTypeId) },
        query: { modifiedSince: since, limit: CHANGES_SHOWN },
      }),
      staleTime: STALE_MS,
    })),
  });
  const isLoading = changes.isLoading || lists.some((list) => list.isLoading);
  const latest = lists
    .flatMap(({ data }) => data?.entries ?? [])
    .toSorted((a, b) => b.at.localeCompare(a.at))
    .slice(0, CHANGES_SHOWN);
  return (
    <Card
      title="Recent changes"
      actions={
        may.changes && (
          <Link to="/changes" search={{ since: 'month' }} className="home-all">
            All changes
          </Link>
        )
      }
    >
      {!may.changes && (
        <CardBody>
          <p className="home-quiet">You need the Read Data capability to see changes of entries.</p>
        </CardBody>
      )}
      {may.changes && isLoading && <SkeletonRows rows={5} />}
      {may.changes && !isLoading && latest.length === 0 && (
        <CardBody>
          <p className="home-quiet">No entry was created, changed or deleted in the last 30 days.</p>
        </CardBody>
      )}
      {latest.length > 0 && (
        <ol className="home-line-list" aria-label="Recent changes">
          {latest.map((entry) => (
            <ChangeRow
              key={`${entry.entryListId} ${entry.id}`}
              entry={entry}
              type={types.data?.find(({ id }) => id === entry.entryListId)}
            />
          ))}
        </ol>
      )}
    </Card>
  );
}

const FATE_VERBS: Record<ChangedEntry['fate'], string> = {
  created: 'created',
  changed: 'changed',
  gone: 'deleted',
};

function ChangeRow({ entry, type }: { entry: ChangedEntry; type: EntryTypeVm | undefined }) {
  const { id, name, entryListId, by, fate, at, mergedEntryId } = entry;
  const author = by === undefined ? 'The service' : by.name === '' ? `User ${by.id}` : by.name;
  return (
    <li className="home-event">
      <span className="num home-quiet">{isToday(at) ? formatMoment(at) : <Timestamp at={at} />}</span>
      <Avatar name={author} id={by?.id ?? 0} />
      <span className="home-event-text">
        {by === undefined ? (
          <strong>{author}</strong>
        ) : (
          <Link to="/users/$userId" params={{ userId: by.id }}>
            <strong>
              <bdi>{author}</bdi>
            </strong>
          </Link>
        )}{' '}
        {mergedEntryId === undefined ? FATE_VERBS[fate] : 'merged'}{' '}
        <Link to="/entries/$type/$entryId" params={{ type: String(entryListId), entryId: id }}>
          <bdi>{name.trim() === '' ? `Entry ${id}` : name}</bdi>
        </Link>
      </span>
      <span className="home-quiet home-event-type">{type?.singularName}</span>
    </li>
  );
}

/** Capabilities of the viewer, folded. */
function PermissionsCard() {
  const session = useSession();
  const held = capabilities.filter(({ name }) => hasAnyCapability(session, [name]));
  return (
    <Card title="Your permissions">
      {held.length === 0 ? (
        <CardBody>
          <p className="home-quiet">None of your groups grants a capability on this site.</p>
        </CardBody>
      ) : (
        <details className="home-permissions" open={held.length <= 6}>
          <summary>{pluralize(held.length, 'capability', 'capabilities')}</summary>
          <dl>
            {held.map(({ name, description }) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{description}</dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </Card>
  );
}

/** Checklist of a new site; disappears when it is done. */
function FirstSteps({ home, people }: { home: Home; people: number | undefined }) {
  const { may, types, facts, backups } = home;
  const createUser = usePermission('createUser').allowed;
  const createType = usePermission('createEntryType').allowed;
  const entries = types.data?.reduce((sum, { entryCount }) => sum + (entryCount ?? 0), 0);
  const steps = [
    createUser &&
      people !== undefined && {
        isDone: people > 1,
        text: 'Add the people who will work here',
        link: <Link to="/users/new">New user</Link>,
      },
    createType &&
      types.data !== undefined && {
        isDone: types.data.length > 0,
        text: 'Define what you keep records of',
        link: (
          <Link to="/entries" search={{}}>
            Entry types
          </Link>
        ),
      },
    createType &&
      entries !== undefined && {
        isDone: entries > 0,
        text: 'Create or import the first entries',
        link: (
          <Link to="/entries" search={{}}>
            Entries
          </Link>
        ),
      },
    may.backups &&
      backups.data !== undefined &&
      facts.isDailyBackup !== undefined && {
        isDone: facts.isDailyBackup || backups.data.data.length > 0,
        text: 'Schedule a daily backup',
        link: <Link to="/backups/schedule">Backup schedule</Link>,
      },
  ].filter((step) => step !== false);
  const isNew = people === 1 || types.data?.length === 0;
  if (!isNew || steps.every(({ isDone }) => isDone)) return null;
  return (
    <Card title="First steps">
      <ul className="home-rows">
        {steps.map(({ isDone, text, link }) => (
          <li key={text} className="home-row">
            <span className={`home-tile ${isDone ? 'home-tile-ok' : ''}`}>
              <CircleCheck aria-hidden />
            </span>
            <div className="home-text">
              <strong>
                {text}
                {isDone && <span className="visually-hidden">, done</span>}
              </strong>
            </div>
            {isDone ? <span className="home-quiet">Done</span> : link}
          </li>
        ))}
      </ul>
    </Card>
  );
}
