import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Download, ListChecks, Pause, Play, RotateCcw, ScanSearch, Undo2, X } from 'lucide-react';
import { useEffect, useMemo, useRef } from 'react';
import type { Job, JobReason } from '../../../../contract/generated/types.gen.ts';
import { MAX_JOB_REASONS } from '../../../../contract/rules/jobs.ts';
import { toServiceError } from '../../../api/errors.ts';
import { listJobReasonsOptions } from '../../../api/generated/queries/jobs.gen.ts';
import { downloadJobReport } from '../../../api/generated/sdk/jobs.gen.ts';
import { usePermission, useSession } from '../../../api/session.ts';
import { useRequestedAction } from '../../../app/state/requested-action.ts';
import { useDirectory } from '../../../directory/directory.ts';
import { saveFile } from '../../../files/download.ts';
import { formatExactDate, formatMoment } from '../../../lib/dates/dates.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { CopyButton } from '../../../ui/button/CopyButton.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { SearchField } from '../../../ui/form/SearchField.tsx';
import { SegmentedControl } from '../../../ui/form/SegmentedControl.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Breadcrumbs } from '../../../ui/layout/Breadcrumbs.tsx';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { Tile } from '../../../ui/layout/Tile.tsx';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { FilterChip } from '../../../ui/table/filter/FilterChips.tsx';
import { useDebouncedView } from '../../../ui/table/use-debounced-search.ts';
import { toast } from '../../../ui/toast.ts';
import { useMedia } from '../../../ui/use-media.ts';
import { JobFile } from '../JobFile.tsx';
import {
  describeCertainty,
  describeState,
  formatForecast,
  formatRate,
  formatTimeLeft,
  formatTook,
  formatWaiting,
  getDoneLabel,
  isUndoable,
  getOutcome,
  STATE_LABELS,
} from '../model/format.ts';
import { countByState, MAX_FOUND, useJobItems } from '../model/job-items.ts';
import { JOB_KINDS } from '../model/job-kinds.ts';
import { getProcessed, hasEnded, isActive, isPending, recordProgress } from '../model/progress.ts';
import { getExportedList, listRequestFacts } from '../model/request-facts.ts';
import { countItems, describeUndo, useJobActions } from '../model/use-job-actions.tsx';
import { useJob, useRate } from '../model/use-jobs.ts';
import { ITEM_STATES } from '../model/view.ts';
import type { JobView } from '../model/view.ts';
import { createItemColumns, getItemId, getItemLabel } from './item-columns.tsx';
import { PaceChart } from './PaceChart.tsx';
import '../job-parts.css';
import './job-page.css';

const route = getRouteApi('/_app/jobs/$jobId');
/** Window in which the items scroll beside the panels; smaller ones scroll the page. */
const SIDE_BY_SIDE = '(min-width: 1100px) and (min-height: 640px)';
const REASONS_INTERVAL_MS = 2_000;
const HIDDEN_WITHOUT_REASONS = ['reason'];
const NO_HIDDEN: readonly string[] = [];
const NO_REASONS: readonly JobReason[] = [];

/** One job: what was asked, its outcomes, reasons and items. */
export function JobPage() {
  const { jobId } = route.useParams();
  const { data: job, error } = useJob(jobId);
  // The loader has read the job; it is missing only if it was deleted since.
  if (!job) throw error ?? new Error(`Job ${jobId} is missing`);
  return <JobDetails job={job} />;
}

/** Reads items and reasons again when the job ends or is paused, which may be after their last reading. */
function useFinalReading({ id, state }: Job): void {
  const client = useQueryClient();
  const lastState = useRef(state);
  useEffect(() => {
    if (lastState.current === state) return;
    lastState.current = state;
    for (const operation of ['listJobItems', 'listJobReasons', 'getJobPace'])
      void client.invalidateQueries({ queryKey: [{ _id: operation, path: { jobId: id } }] });
  }, [client, id, state]);
}

function JobDetails({ job }: { job: Job }) {
  const isSideBySide = useMedia(SIDE_BY_SIDE);
  const rate = useRate(job);
  const Icon = JOB_KINDS[job.kind].icon;
  const state = describeState(job);
  useFinalReading(job);
  // Jobs of others are in no list that is read.
  useEffect(() => recordProgress([job]), [job]);
  const { data: reasons = NO_REASONS } = useQuery({
    ...listJobReasonsOptions({ path: { jobId: job.id } }),
    refetchInterval: isActive(job) ? REASONS_INTERVAL_MS : false,
  });
  const failures = reasons.filter((one) => one.state === 'failed');
  const conflicts = reasons.filter((one) => one.state === 'conflict');
  const failedCount = Math.max(sumCounts(failures), job.failed);
  const skippedCount = Math.max(sumCounts(conflicts), job.conflicts);
  const isCut = reasons.length >= MAX_JOB_REASONS;
  const viewState = useJobView();
  return (
    <Page
      fill={isSideBySide}
      breadcrumbs={<Breadcrumbs />}
      lead={<Tile icon={Icon} tone={state.tone} size="large" />}
      title={job.title}
      badge={<Badge tone={state.tone}>{state.label}</Badge>}
      meta={<Facts job={job} rate={rate} />}
      actions={<Actions job={job} />}
    >
      <div className="job-grid">
        <div className="job-main">
          {job.stopReason !== null && (
            <Banner tone="bad" title="The service stopped this job">
              {job.stopReason}
              {job.kind === 'backup' ? '' : '. What was done stays as it is.'}
            </Banner>
          )}
          <Summary job={job} rate={rate} />
          {JOB_KINDS[job.kind].done === undefined ? (
            <Items job={job} reasons={reasons} {...viewState} />
          ) : (
            <JobFile job={job} />
          )}
        </div>
        <aside className="job-side" aria-label="About this job">
          <PaceChart job={job} />
          {failures.length > 0 && (
            <Reasons
              title={`Why ${formatNumber(failedCount)} failed`}
              isCut={isCut && sumCounts(failures) < failedCount}
              reasons={failures}
              current={viewState.view}
              onShow={viewState.show}
            />
          )}
          {conflicts.length > 0 && (
            <Reasons
              title={`Why ${formatNumber(skippedCount)} ${skippedCount === 1 ? 'was' : 'were'} skipped`}
              isCut={isCut && sumCounts(conflicts) < skippedCount}
              reasons={conflicts}
              current={viewState.view}
              onShow={viewState.show}
            />
          )}
          {job.kind !== 'backup' && (
            <>
              <UndoCard job={job} />
              <ReportCard job={job} />
            </>
          )}
          <RepeatCard job={job} />
        </aside>
      </div>
    </Page>
  );
}

/** Number of items with these reasons, which may be newer than the counts of the job. */
const sumCounts = (reasons: readonly JobReason[]): number =>
  reasons.reduce((sum, { count }) => sum + count, 0);

/** View of the items from the URL, debounced while typing. */
function useJobView() {
  const urlView = route.useSearch();
  const navigate = route.useNavigate();
  return useDebouncedView<JobView>({
    view: urlView,
    write: (view, replace) => navigate({ to: '.', search: view, replace, resetScroll: false }),
  });
}

function Starter({ job: { ownerId, ownerName } }: { job: Job }) {
  const { user } = useSession();
  if (ownerId === user.id) return 'you';
  if (ownerId === null) return 'the schedule';
  if (ownerName === null) return 'someone who left the site';
  return (
    <Link to="/users/$userId" params={{ userId: ownerId }}>
      {ownerName}
    </Link>
  );
}

function Facts({ job, rate }: { job: Job; rate: number | undefined }) {
  const took = formatTook(job);
  return (
    <>
      Started by <Starter job={job} /> on{' '}
      <time dateTime={job.createdDate}>{formatExactDate(job.createdDate)}</time>
      {took !== undefined && ` · ${took}`}
      {hasEnded(job) && rate !== undefined && ` · ${formatRate(rate)}`}
      {' · '}
      <span className="job-number">
        job {formatNumber(job.id)} <CopyButton value={String(job.id)} label="Copy job number" />
      </span>
    </>
  );
}

function Actions({ job }: { job: Job }) {
  const { pause, resume, cancel, review, retry, undo } = useJobActions(job);
  const turn = pause ?? resume;
  useRequestedAction('cancelJob', () => cancel?.run(), {
    id: job.id,
    disabledReason: cancel ? cancel.disabledReason : 'The job has ended',
  });
  return (
    <>
      {/* One button, which keeps the focus. */}
      {turn && (
        <Button
          variant={pause ? 'default' : 'primary'}
          icon={pause ? Pause : Play}
          pending={turn.pending}
          disabledReason={turn.disabledReason}
          onClick={turn.run}
        >
          {pause ? 'Pause' : 'Resume'}
        </Button>
      )}
      {cancel && (
        <Button icon={X} disabledReason={cancel.disabledReason} onClick={cancel.run}>
          Cancel…
        </Button>
      )}
      {isUndoable(job) && (
        <Button icon={Undo2} disabledReason={undo.disabledReason} onClick={undo.run}>
          Undo…
        </Button>
      )}
      {review && (
        <Button icon={ScanSearch} onClick={review.run}>
          Review {formatNumber(review.count)} again…
        </Button>
      )}
      {retry && (
        <Button
          variant="primary"
          icon={RotateCcw}
          pending={retry.pending}
          disabledReason={retry.disabledReason}
          onClick={retry.run}
        >
          Retry {formatNumber(job.failed)} failed
        </Button>
      )}
    </>
  );
}

/** Outcomes in the order of the bar. */
const OUTCOMES = ['done', 'unchanged', 'conflict', 'failed', 'open'] as const;

/** What was asked, and how far it has come. */
function Summary({ job, rate }: { job: Job; rate: number | undefined }) {
  const outcomes = OUTCOMES.map((state) => ({ state, count: countByState(job, state) })).filter(
    ({ state, count }) => count > 0 || state === 'done',
  );
  const processed = getProcessed(job);
  const { reviewedAt } = job.parameters;
  const certainty = describeCertainty(job, rate);
  return (
    <section className="card job-asked" aria-label="Request">
      <p className="job-label">Request</p>
      <p className="job-sentence">{job.title}.</p>
      <RequestFacts job={job} />
      <ul className="job-notes">
        {typeof reviewedAt === 'string' && (
          <li>Reviewed {formatExactDate(reviewedAt)}; anyone changed after that is skipped.</li>
        )}
        {job.inverseOf !== null && (
          <li>
            Undoes <JobNumber id={job.inverseOf} />.
          </li>
        )}
        {job.retryDate && (
          <li>
            {formatWaiting(job)}. {job.retryReason}
          </li>
        )}
        {job.afterJobId !== null && (
          <li>
            Runs after <JobNumber id={job.afterJobId} />.
          </li>
        )}
      </ul>
      <div className="job-outcomes" aria-hidden>
        {outcomes
          .filter(({ count }) => count > 0)
          .map(({ state, count }) => (
            <i key={state} className={`job-outcome-${state}`} style={{ flexGrow: count }} />
          ))}
      </div>
      <div className="job-legend">
        <ul className="num" aria-label="Outcomes">
          {outcomes.map(({ state, count }) => (
            <li key={state}>
              <i className={`job-outcome-${state}`} aria-hidden />
              <b>{formatNumber(count)}</b>{' '}
              {state === 'done' ? getDoneLabel(job) : getOutcome(job, state).label.toLowerCase()}
            </li>
          ))}
        </ul>
        {!hasEnded(job) && (
          <span className="num">
            {isPending(job) ? (
              formatWaiting(job)
            ) : (
              <>
                <b>{formatNumber(processed)}</b> of {formatNumber(job.total)}
                {job.state === 'running'
                  ? ` · ${formatForecast(job, rate) ?? 'running'}`
                  : ` · ${STATE_LABELS[job.state].label.toLowerCase()}`}
              </>
            )}
          </span>
        )}
      </div>
      {certainty && (
        <ul className="job-notes" aria-label="Certainty">
          <li>
            <b>Confirmed:</b> {certainty.confirmed}.
          </li>
          {certainty.assumed !== undefined && (
            <li>
              <b>Assumed:</b> {certainty.assumed}.
            </li>
          )}
        </ul>
      )}
    </section>
  );
}

/** Type, filter and fields as chips, with a link to the list that was exported. */
function RequestFacts({ job }: { job: Job }) {
  const facts = listRequestFacts(job);
  const list = getExportedList(job);
  if (facts.length === 0) return null;
  return (
    <dl className="job-facts">
      {facts.map(({ label, values }) => (
        <div key={label}>
          <dt>{label}</dt>
          {values.map((value) => (
            <dd key={value} title={value}>
              {value}
            </dd>
          ))}
        </div>
      ))}
      {list && (
        <div>
          <dt className="visually-hidden">List</dt>
          <dd className="job-fact-link">
            <Link
              to="/entries/$type"
              params={{ type: list.type }}
              search={list.query ? { query: list.query } : {}}
            >
              Show the list
            </Link>
          </dd>
        </div>
      )}
    </dl>
  );
}

const JobNumber = ({ id }: { id: number }) => (
  <Link to="/jobs/$jobId" params={{ jobId: id }}>
    job {formatNumber(id)}
  </Link>
);

const SEGMENTS = ['all', 'failed', 'unchanged', 'done', 'conflict', 'open'] as const;

interface ItemsProps extends ReturnType<typeof useJobView> {
  job: Job;
  reasons: readonly JobReason[];
}

function Items({ job, reasons, view, show, type, settle }: ItemsProps) {
  const { groups } = useDirectory();
  const { rows, isDimmed, error, isFetching, refetch } = useJobItems(job, view, reasons);
  const [one, many] = JOB_KINDS[job.kind].nouns;
  const { kind, parameters, state: jobState } = job;
  const columns = useMemo(
    () => createItemColumns({ kind, parameters, state: jobState }, groups, one),
    [kind, parameters, jobState, groups, one],
  );
  const isFiltered = view.state !== 'all' || view.reason !== '' || view.q !== '';
  const segments = SEGMENTS.filter(
    (state) => state === 'all' || state === view.state || countByState(job, state) > 0,
  );
  // A reason may be that of items in several states.
  const reasonOptions = [...new Set([...reasons.map(({ reason }) => reason), view.reason])]
    .filter((reason) => reason !== '')
    .map((reason) => ({ value: reason, label: reason }));
  return (
    <div className="job-items">
      <div className="job-items-bar">
        <SegmentedControl
          label="Outcome"
          value={view.state}
          onChange={(state) => show({ ...view, state, reason: '' })}
          options={segments.map((value) => ({
            value,
            label: value === 'all' ? 'All' : getOutcome(job, value).label,
            count: countByState(job, value),
          }))}
        />
        {reasonOptions.length > 0 && (
          <FilterChip
            label="Reason"
            options={reasonOptions}
            value={view.reason === '' ? NO_HIDDEN : [view.reason]}
            // One reason at a time: the service filters by one.
            onChange={(chosen) => show({ ...view, reason: chosen.at(-1) ?? '' })}
          />
        )}
        <SearchField
          label={`Search the ${many} of this job`}
          placeholder={kind.startsWith('entries') ? 'Name' : 'Name or e-mail'}
          value={view.q}
          onChange={type}
          onBlur={settle}
        />
      </div>
      <DataTable
        label={many === 'people' ? 'People' : 'Items'}
        columns={columns}
        hidden={reasons.length === 0 ? HIDDEN_WITHOUT_REASONS : NO_HIDDEN}
        rows={rows}
        rowId={getItemId}
        rowLabel={getItemLabel}
        error={error}
        onRetry={refetch}
        refetching={isDimmed || (isFetching && error !== undefined)}
        empty={<EmptyState icon={ListChecks} title={`This job has no ${many}`} />}
        onClearFilters={isFiltered ? () => show({ state: 'all', reason: '', q: '' }) : undefined}
        footer={
          rows &&
          (view.q !== '' && rows.length >= MAX_FOUND
            ? `The first ${formatNumber(MAX_FOUND)} matches: search for more of the name to see the others`
            : `${pluralize(rows.length, one, many)} in the order of the request`)
        }
      />
    </div>
  );
}

interface ReasonsProps {
  title: string;
  /** Rare reasons are not listed. */
  isCut: boolean;
  reasons: readonly JobReason[];
  current: JobView;
  onShow: (view: JobView) => void;
}

/** Reasons with their counts; a click shows only their items. */
function Reasons({ title, isCut, reasons, current, onShow }: ReasonsProps) {
  return (
    <Card title={title}>
      <ul className="job-reasons">
        {reasons.map(({ state, reason, count }) => {
          const isShown = current.reason === reason;
          return (
            <li key={reason}>
              <button
                type="button"
                className="job-reason"
                aria-pressed={isShown}
                onClick={() =>
                  onShow(
                    isShown
                      ? { ...current, reason: '' }
                      : { q: '', state: ITEM_STATES.find((one) => one === state) ?? 'all', reason },
                  )
                }
              >
                <b className="num">{formatNumber(count)}</b> <span>{reason}</span>
              </button>
            </li>
          );
        })}
      </ul>
      {isCut && (
        <CardBody>
          <p className="job-undo">Only the most frequent reasons are listed. The report has all of them.</p>
        </CardBody>
      )}
    </Card>
  );
}

const REPORT_FORMATS = [
  { format: 'csv', label: 'CSV' },
  { format: 'xlsx', label: 'Excel' },
] as const;

/** Files with the outcomes of all items. */
function ReportCard({ job }: { job: Job }) {
  const { reason } = usePermission('downloadJobReport');
  const save = useMutation({
    mutationFn: async (file: 'csv' | 'xlsx' | 'failed') => {
      const { data } = await downloadJobReport({
        path: { jobId: job.id },
        query: file === 'failed' ? { rows: 'failed' } : { format: file },
        parseAs: 'blob',
      });
      saveFile(file === 'failed' ? `failed-rows-${job.id}.csv` : `job-${job.id}.${file}`, data);
    },
    onError: (error) =>
      toast({
        tone: 'bad',
        title: 'The report was not downloaded',
        description: toServiceError(error).message,
      }),
  });
  return (
    <Card title="Report">
      <CardBody>
        <p className="job-undo">
          All {countItems(job, job.total)} with outcome, reason and what was replaced.
        </p>
        <div className="job-report">
          {REPORT_FORMATS.map(({ format, label }) => (
            <Button
              key={format}
              size="small"
              icon={Download}
              pending={save.isPending && save.variables === format}
              disabledReason={reason}
              aria-label={`Download report as ${label}`}
              onClick={() => save.mutate(format)}
            >
              {label}
            </Button>
          ))}
          {hasFailedRows(job) && (
            <Button
              size="small"
              icon={Download}
              pending={save.isPending && save.variables === 'failed'}
              disabledReason={reason}
              onClick={() => save.mutate('failed')}
            >
              Failed rows of the file
            </Button>
          )}
        </div>
      </CardBody>
    </Card>
  );
}

/** Whether rows of an imported file failed or were skipped, and the service has their cells. */
const hasFailedRows = ({ parameters, failed, conflicts }: Job): boolean =>
  Array.isArray(parameters['columns']) && failed + conflicts > 0;

/** Starts the same again, where that is what the person reviews or gets. */
function RepeatCard({ job }: { job: Job }) {
  const { repeat } = useJobActions(job);
  if (!repeat) return null;
  const isExport = job.kind === 'entries.export';
  return (
    <Card title="Do this again">
      <CardBody>
        <p className="job-undo">
          {isExport
            ? 'Makes a new file with the same fields and filter, and the values of now.'
            : `Opens a new dry run of the same change for the same ${countItems(job, job.total)}.`}
        </p>
        <div className="job-report">
          <Button
            size="small"
            icon={RotateCcw}
            pending={repeat.pending}
            disabledReason={repeat.disabledReason}
            onClick={repeat.run}
          >
            {isExport ? 'Export again' : 'Prepare again…'}
          </Button>
        </div>
      </CardBody>
    </Card>
  );
}

/** What Undo does and until when, or why it is not possible. */
function UndoCard({ job }: { job: Job }) {
  const { undoUntil } = job;
  if (undoUntil !== null && isUndoable(job)) {
    return (
      <Card title="Undo" actions={<span className="job-undo num">{formatTimeLeft(undoUntil)}</span>}>
        <CardBody>
          <p className="job-undo">
            {describeUndo(job)} Possible until <time dateTime={undoUntil}>{formatMoment(undoUntil)}</time>.
          </p>
        </CardBody>
      </Card>
    );
  }
  return (
    <Card title="Undo">
      <CardBody>
        <p className="job-undo">
          {job.inverseJobId === null ? (
            getUndoReason(job)
          ) : (
            <>
              Undone by <JobNumber id={job.inverseJobId} />.
            </>
          )}
        </p>
      </CardBody>
    </Card>
  );
}

function getUndoReason(job: Job): string {
  if (!hasEnded(job)) return 'Possible after the end of the job, for what it has changed.';
  if (job.done === 0) return 'Nothing was changed, so there is nothing to undo.';
  if (job.undoUntil !== null)
    return `No longer possible: it could be undone until ${formatMoment(job.undoUntil)}.`;
  if (job.kind === 'users.remove')
    return `Not possible: ${countItems(job, job.done)} left the site and have to be added again.`;
  if (job.kind.endsWith('.export')) return 'An export changes nothing, so there is nothing to undo.';
  return 'Not possible: changes of this kind cannot be undone automatically.';
}
