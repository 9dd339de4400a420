import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ListChecks } from 'lucide-react';
import { useMemo } from 'react';
import type { Job } from '../../../../contract/generated/types.gen.ts';
import { ServiceError, toServiceError } from '../../../api/errors.ts';
import { listJobsQueryKey } from '../../../api/generated/queries/jobs.gen.ts';
import { listJobs } from '../../../api/generated/sdk/jobs.gen.ts';
import { usePermission, useSession } from '../../../api/session.ts';
import { QueryAge } from '../../../app/freshness/DataAge.tsx';
import { ListTable } from '../../../app/views/ListTable.tsx';
import { formatDuration } from '../../../lib/dates/durations.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { ShowMoreButton } from '../../../ui/button/ShowMoreButton.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { SegmentedControl } from '../../../ui/form/SegmentedControl.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { Timestamp } from '../../../ui/layout/Timestamp.tsx';
import type { Column } from '../../../ui/table/columns.ts';
import { FilterChip } from '../../../ui/table/filter/FilterChips.tsx';
import { STATE_LABELS, describeState, formatWaiting, getDoneLabel } from '../model/format.ts';
import { JOB_KINDS } from '../model/job-kinds.ts';
import { getProcessed, getSeconds, hasEnded, isPending } from '../model/progress.ts';
import { useJobs } from '../model/use-jobs.ts';
import { JOB_STATES, JOBS_DEFAULTS, parseHiddenColumns } from '../model/view.ts';
import type { JobsView } from '../model/view.ts';
import '../job-parts.css';

const route = getRouteApi('/_app/jobs/');
const PAGE_SIZE = 100;
const NO_JOBS: readonly Job[] = [];
const NO_COLUMNS: readonly string[] = [];
const getId = ({ id }: Job) => id;
const getTitle = ({ title }: Job) => title;

/** List of the caller's jobs and, with View Activity, of those of other users. */
export function JobsPage() {
  const { allowed, reason } = usePermission('listJobs');
  if (!allowed) throw new ServiceError(403, reason);
  return <JobTable />;
}

/** Jobs of a view, newest first: the pages read so far, with the newest jobs kept up to date. */
function useJobPages({ owner, state }: JobsView) {
  const live = useJobs(owner, true) ?? NO_JOBS;
  const query = useInfiniteQuery({
    queryKey: [
      {
        ...listJobsQueryKey({ query: { owner, state: state === 'all' ? undefined : state } })[0],
        pages: true,
      },
    ],
    queryFn: async ({ pageParam, signal }) =>
      (
        await listJobs({
          signal,
          query: { owner, ...(state !== 'all' && { state }), pageNumber: pageParam, pageSize: PAGE_SIZE },
        })
      ).data,
    initialPageParam: 1,
    getNextPageParam: (last, pages) => (last.length < PAGE_SIZE ? undefined : pages.length + 1),
  });
  const { data } = query;
  const rows = useMemo(() => {
    if (!data) return undefined;
    // A job that was started between two requests shifts another one into both pages.
    const byId = new Map([...data.pages.flat(), ...live].map((job) => [job.id, job]));
    return [...byId.values()]
      .filter((job) => state === 'all' || job.state === state)
      .toSorted((a, b) => b.id - a.id);
  }, [data, live, state]);
  return { ...query, rows };
}

function JobTable() {
  const view = route.useSearch();
  const navigate = route.useNavigate();
  const canSeeOthers = useSession().capabilities.includes('View Activity');
  const owner = canSeeOthers ? view.owner : 'own';
  const query = useJobPages({ ...view, owner });
  const { rows, error, refetch, isFetching, hasNextPage, fetchNextPage, isFetchingNextPage } = query;
  const columns = owner === 'own' ? OWN_COLUMNS : OTHERS_COLUMNS;
  const hidden = useMemo(() => parseHiddenColumns(view.hide), [view.hide]);
  const show = (next: Partial<JobsView>) => void navigate({ to: '.', search: { ...view, ...next } });
  const open = rows?.filter((job) => !hasEnded(job)).length ?? 0;
  return (
    <Page
      fill
      title="Jobs"
      meta={
        rows &&
        rows.length > 0 &&
        `${hasNextPage ? `Newest ${formatNumber(rows.length)} jobs` : pluralize(rows.length, 'job', 'jobs')}${
          open > 0 ? ` · ${formatNumber(open)} not finished` : ''
        }`
      }
    >
      <ListTable
        table="jobs"
        tools={<QueryAge query={query} />}
        filters={
          <>
            {canSeeOthers && (
              <SegmentedControl
                label="Started by"
                value={owner}
                onChange={(value) => show({ owner: value })}
                options={[
                  { value: 'own', label: 'Mine' },
                  { value: 'others', label: 'Others’' },
                ]}
              />
            )}
            <FilterChip
              label="State"
              options={JOB_STATES.map((value) => ({ value, label: STATE_LABELS[value].label }))}
              value={view.state === 'all' ? NO_COLUMNS : [view.state]}
              // One state at a time: the service filters by one.
              onChange={(states) => show({ state: JOB_STATES.find((one) => one === states.at(-1)) ?? 'all' })}
            />
          </>
        }
        onHide={(next) => show({ hide: next.join('-') })}
        label="Jobs"
        columns={columns}
        hidden={hidden}
        rows={rows}
        rowId={getId}
        rowLabel={getTitle}
        error={error === null ? undefined : toServiceError(error)}
        onRetry={() => void refetch()}
        refetching={isFetching && error !== null}
        empty={
          <EmptyState
            icon={ListChecks}
            title={owner === 'own' ? 'No jobs yet' : 'Nobody else has started a job'}
            actions={
              owner === 'own' && (
                <Link to="/users" className={buttonClass()}>
                  Go to users
                </Link>
              )
            }
          >
            Work on many people or entries runs in the background. Each job is listed here for a year, with
            what became of every item.
          </EmptyState>
        }
        onClearFilters={
          view.state === JOBS_DEFAULTS.state ? undefined : () => show({ state: JOBS_DEFAULTS.state })
        }
        footer={
          hasNextPage ? (
            <ShowMoreButton pending={isFetchingNextPage} onClick={() => void fetchNextPage()}>
              Show older jobs
            </ShowMoreButton>
          ) : undefined
        }
      />
    </Page>
  );
}

function JobLink({ job: { id, title, kind }, tabIndex }: { job: Job; tabIndex: 0 | -1 }) {
  const Icon = JOB_KINDS[kind].icon;
  return (
    <span className="job-name">
      <Icon />
      <Link to="/jobs/$jobId" params={{ jobId: id }} tabIndex={tabIndex} title={title}>
        {title}
      </Link>
    </span>
  );
}

function StateBadge({ job }: { job: Job }) {
  const { label, tone } = describeState({ ...job, failed: 0 });
  return <Badge tone={job.state === 'finished' ? describeState(job).tone : tone}>{label}</Badge>;
}

/** Progress of an open job, outcomes of an ended one. */
function Outcome({ job }: { job: Job }) {
  const processed = getProcessed(job);
  if (isPending(job)) return <span className="job-none">{formatWaiting(job)}</span>;
  if (!hasEnded(job)) {
    return (
      <span className="job-cell-progress num">
        <progress className="job-bar" value={processed} max={job.total} aria-label={job.title} />
        {formatNumber(processed)} of {formatNumber(job.total)}
      </span>
    );
  }
  return (
    <span className="num">
      {formatNumber(job.done)} {getDoneLabel(job)}
      {job.unchanged > 0 && ` · ${formatNumber(job.unchanged)} unchanged`}
      {job.conflicts > 0 && ` · ${formatNumber(job.conflicts)} skipped`}
      {job.failed > 0 && (
        <>
          {' · '}
          <span className="job-bad">{formatNumber(job.failed)} failed</span>
        </>
      )}
    </span>
  );
}

function Took({ job }: { job: Job }) {
  const seconds = getSeconds(job);
  return seconds === undefined ? '–' : formatDuration(seconds);
}

const JOB_COLUMN: Column<Job> = {
  id: 'title',
  header: 'Job',
  minWidth: 260,
  cell: (job, { tabIndex }) => <JobLink job={job} tabIndex={tabIndex} />,
};
const OWNER_COLUMN: Column<Job> = {
  id: 'owner',
  header: 'Started by',
  width: 170,
  cell: ({ ownerId, ownerName }, { tabIndex }) =>
    ownerName === null || ownerId === null ? (
      <span className="job-none">{ownerId === null ? 'Schedule' : 'Left the site'}</span>
    ) : (
      <Link to="/users/$userId" params={{ userId: ownerId }} tabIndex={tabIndex} title={ownerName}>
        {ownerName}
      </Link>
    ),
};
const FACT_COLUMNS: readonly Column<Job>[] = [
  { id: 'state', header: 'State', width: 104, small: 'aside', cell: (job) => <StateBadge job={job} /> },
  { id: 'outcome', header: 'Outcome', minWidth: 240, small: 'line', cell: (job) => <Outcome job={job} /> },
  {
    id: 'started',
    header: 'Started',
    width: 116,
    cell: ({ createdDate }, { tabIndex }) => <Timestamp at={createdDate} tabIndex={tabIndex} />,
  },
  { id: 'took', header: 'Took', width: 92, align: 'end', cell: (job) => <Took job={job} /> },
  { id: 'number', header: 'Number', width: 84, align: 'end', cell: ({ id }) => formatNumber(id) },
];
const OWN_COLUMNS = [JOB_COLUMN, ...FACT_COLUMNS];
const OTHERS_COLUMNS = [JOB_COLUMN, OWNER_COLUMN, ...FACT_COLUMNS];
