import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { FileText, FlaskConical, Inbox, Send } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { ImportSettings, Job } from '../../../../contract/generated/types.gen.ts';
import { formatCsv } from '../../../../contract/rules/tables/csv.ts';
import { toServiceError, UnknownOutcomeError } from '../../../api/errors.ts';
import type { ServiceError } from '../../../api/errors.ts';
import { startRelationshipImport } from '../../../api/generated/sdk/relationship-intelligence.gen.ts';
import { usePermission } from '../../../api/session.ts';
import { formatFailedWrite } from '../../../app/state/failed-write.ts';
import { useDirectory, usePeopleById } from '../../../directory/directory.ts';
import { saveFile } from '../../../files/download.ts';
import { formatExactDate, formatExactMoment } from '../../../lib/dates/dates.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { formatSize } from '../../../lib/sizes.ts';
import { toEmailKey } from '../../../lib/text/email-key.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { cx } from '../../../ui/cx.ts';
import { useUnsavedGuard } from '../../../ui/dialog/unsaved-work.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { FileDrop } from '../../../ui/form/FileDrop.tsx';
import { LabelledSelect } from '../../../ui/form/select/Select.tsx';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import { Tile } from '../../../ui/layout/Tile.tsx';
import { toast } from '../../../ui/toast.ts';
import { uploadPlan } from '../../import/index.ts';
import { showStartedJob } from '../../jobs/index.ts';
import type { DateOrder, ItemKind } from '../formats/items.ts';
import { FORMAT_NAMES, MEND_TEXTS } from '../planner/mends.ts';
import { getHistoryEnd } from '../planner/month-close.ts';
import type { PlanSummary, ReadFile } from '../planner/planner.ts';
import { scheduleRequests } from '../planner/requests.ts';
import type { RequestShare } from '../planner/requests.ts';
import { useDryRun } from '../planner/use-dry-run.ts';
import { usePlanner } from '../planner/use-planner.ts';
import type { PlannerClient, PlannerHandle } from '../planner/use-planner.ts';
import { DryRunCard } from './DryRunCard.tsx';
import { ExchangeNames, MailboxTable } from './MailboxTable.tsx';
import { findBlocking } from './preconditions.ts';
import { budgetQuery, importSettingsQuery, importStatusQuery, relationshipSettingsQuery } from './queries.ts';
import { SideCards } from './SideCards.tsx';
import { useNow } from './use-now.ts';
import './imports.css';

const DAY_MS = 86_400_000;
const BOTH: readonly ItemKind[] = ['emails', 'meetings'];
const NO_DOMAINS: readonly string[] = [];

/** The first date that the service accepts: the historical period, or the previous month once the upload is complete (spec 8). */
function getAcceptedFrom(settings: ImportSettings, now: number): number {
  const previousMonth = getHistoryEnd(now, settings.timeZone);
  if (settings.isHistoricalUploadComplete) return previousMonth;
  return Math.min(previousMonth, now - settings.historicalSyncPeriodDays * DAY_MS);
}

/** What the plan needs besides the files. */
function useKnowledge() {
  const { data: settings } = useQuery(importSettingsQuery);
  const { data: status } = useQuery(importStatusQuery);
  const { allowed } = usePermission('getRelationshipSettings');
  const { data: own } = useQuery({ ...relationshipSettingsQuery, enabled: allowed });
  const internalDomains = own?.data.internalDomains ?? NO_DOMAINS;
  const [openedAt] = useState(() => Date.now());
  return useMemo(
    () =>
      settings && {
        internalDomains,
        acceptedFrom: getAcceptedFrom(settings, openedAt),
        enabledUsers: status && new Set(status.map(({ userId }) => userId)),
        enabledPeople: new Map(status?.map(({ userId, emailAddress }) => [toEmailKey(emailAddress), userId])),
        limits: settings.limits,
      },
    [settings, status, internalDomains, openedAt],
  );
}

/** Plans an import: files, whose items they have, the legal requests they become, and what they would do. */
export function PlannerPage() {
  // Addresses are looked up in the directory, which has to be read.
  useDirectory();
  const { allowed } = usePermission('searchUsers');
  const planner = usePlanner(useKnowledge(), allowed);
  const { files, reading, error, hasFailed, summary, addFiles } = planner;
  const kinds = getKinds(summary);
  return (
    <div className="ri-columns">
      <div className="ri-main">
        {error !== undefined && <Banner tone="bad" title={error} />}
        {hasFailed && error === undefined && (
          <Banner
            tone="bad"
            title="The plan was lost"
            actions={
              <Button size="small" onClick={() => void planner.retry()}>
                Retry
              </Button>
            }
          >
            The planner stopped, perhaps because the browser had no memory left. Retry reads the files again.
          </Banner>
        )}
        {files.length === 0 ? (
          <DropCard reading={reading} onFiles={(added) => void addFiles(added)} />
        ) : (
          <Plan planner={planner} />
        )}
      </div>
      <SideCards kinds={kinds.length === 0 ? BOTH : kinds} />
    </div>
  );
}

const getKinds = (summary: PlanSummary | undefined): ItemKind[] =>
  BOTH.filter((kind) => (summary?.toSend[kind] ?? 0) > 0);

const ACCEPT = '.json,.ndjson,.jsonl,.csv,.tsv,.txt,.mbox,.eml,.zip,.ics';

interface DropCardProps {
  reading: PlannerHandle['reading'];
  onFiles: (files: readonly File[]) => void;
}

function DropCard({ reading, onFiles }: DropCardProps) {
  return (
    <Card title="Plan an import">
      <CardBody>
        <FileDrop
          icon={Inbox}
          what="files"
          accept={ACCEPT}
          multiple
          hint="Message traces of Exchange and logs of Google have no content and are the best source. Mailboxes (mbox, .eml, a ZIP of them), calendars (.ics), JSON and CSV work too: only sender, recipients, dates and ids are read, and nothing leaves this browser before you start."
          reading={reading && <ReadingProgress reading={reading} />}
          onFiles={onFiles}
        />
      </CardBody>
    </Card>
  );
}

function ReadingProgress({
  reading: { name, share, rows },
}: {
  reading: NonNullable<DropCardProps['reading']>;
}) {
  return (
    <output className="ri-reading">
      <progress aria-label={`Reading ${name}`} value={share} max={1} />
      <span className="num">
        Reading {name}: {pluralize(rows, 'row', 'rows')}
      </span>
    </output>
  );
}

function Plan({ planner }: { planner: PlannerHandle }) {
  const { files, summary, reading, discard, getClient, dateOrder, hasFailed } = planner;
  const asksDateOrder = files.some((file) => file.dateOrder === 'unknown');
  const dryRun = useDryRun();
  useUnsavedGuard(true);
  const { data: settings } = useQuery(importSettingsQuery);
  const kinds = getKinds(summary);
  const people = useMailboxPeople(summary);
  const total = (summary?.toSend.emails ?? 0) + (summary?.toSend.meetings ?? 0);
  const blocking = settings ? findBlocking(settings.preconditions, kinds).length : 0;
  const { reason } = usePermission('startRelationshipImport');
  const start = useStart(planner);
  const failed = hasFailed ? 'The plan was lost' : undefined;
  const waiting = summary === undefined || reading ? 'The plan is being computed' : undefined;
  const undecided =
    asksDateOrder && dateOrder === undefined ? 'Choose the order of day and month first' : undefined;
  const nothing = total === 0 ? 'No item can be sent' : undefined;
  const blocked =
    blocking > 0 ? `${pluralize(blocking, 'precondition is', 'preconditions are')} missing` : undefined;
  const why = reason ?? failed ?? waiting ?? undecided ?? nothing ?? blocked;
  const tryAll = () => {
    const client = getClient();
    if (client && summary) void dryRun.start(client, summary.requests.length);
  };
  return (
    <>
      <div className="ri-actions">
        {summary && (
          <output className="ri-total">
            <b>{describeItems(summary)}</b> of {pluralize(summary.users, 'person', 'people')}
            {summary.span && <>, {formatSpan(summary.span)}</>}
          </output>
        )}
        <Button
          icon={FlaskConical}
          disabledReason={why}
          pending={dryRun.run?.isRunning === true}
          onClick={tryAll}
        >
          Try without storing
        </Button>
        <Button
          variant="primary"
          icon={Send}
          disabledReason={why}
          pending={start.share !== undefined}
          onClick={() => void start.run()}
        >
          Start import
        </Button>
      </div>
      {start.share !== undefined && (
        <progress className="ri-progress" aria-label="Upload" value={start.share} max={1} />
      )}
      {start.error !== undefined && (
        <Banner
          tone="bad"
          title={`${formatFailedWrite(start.jobs.length > 0 ? 'The rest of the import' : 'The import', 'started', start.error)}: ${start.error.message}`}
        >
          {start.jobs.length > 0
            ? `${pluralize(start.jobs.length, 'job has', 'jobs have')} started. Start again to send the rest.`
            : start.error instanceof UnknownOutcomeError
              ? 'Start again to continue: nothing is imported twice.'
              : 'Nothing has been imported. Start again to continue where the upload stopped.'}
        </Banner>
      )}
      {asksDateOrder && start.share === undefined && (
        <DateOrderBanner
          order={dateOrder}
          onChoose={(order) => {
            dryRun.reset();
            void planner.chooseDateOrder(order);
          }}
        />
      )}
      {dryRun.run && <DryRunCard run={dryRun.run} people={people} onClose={dryRun.reset} />}
      <FilesCard {...{ files, summary, reading }} onDiscard={discard} />
      {summary && summary.requests.length > 0 && settings && (
        <FlightPlan summary={summary} people={people} perMinute={settings.limits.requestsPerMinute} />
      )}
      {summary && summary.exchangeNames.length > 0 && (
        <ExchangeNames names={summary.exchangeNames} onReplace={planner.replaceExchangeName} />
      )}
      {summary && <MailboxTable {...{ summary, people }} onChoose={planner.choosePerson} />}
      {summary && <Mends summary={summary} onSaveBroken={() => void saveBroken(planner)} />}
    </>
  );
}

const DATE_ORDERS: readonly { value: DateOrder; label: string }[] = [
  { value: 'dmy', label: '3 April' },
  { value: 'mdy', label: '4 March' },
];

interface DateOrderBannerProps {
  order: DateOrder | undefined;
  onChoose: (order: DateOrder) => void;
}

/** Asks for the order of day and month, which the dates of a file do not show. */
function DateOrderBanner({ order, onChoose }: DateOrderBannerProps) {
  return (
    <Banner
      tone={order === undefined ? 'warn' : 'info'}
      title="The dates do not show which comes first, the day or the month"
      actions={<LabelledSelect label="3/4/2026 is" value={order} onChange={onChoose} options={DATE_ORDERS} />}
    >
      A wrong order moves e-mails and meetings to other days.
    </Banner>
  );
}

const formatDay = (at: number): string =>
  new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' }).format(at);

function formatSpan({ from, to }: { from: number; to: number }): string {
  const [first, last] = [formatDay(from), formatDay(to)];
  return first === last ? first : `${first} to ${last}`;
}

function describeItems({ toSend: { emails, meetings } }: PlanSummary): string {
  const parts = [
    ...(emails > 0 || meetings === 0 ? [pluralize(emails, 'e-mail', 'e-mails')] : []),
    ...(meetings > 0 ? [pluralize(meetings, 'meeting', 'meetings')] : []),
  ];
  return parts.join(' and ');
}

/** Users of the plan by id. */
function useMailboxPeople(summary: PlanSummary | undefined) {
  const ids = useMemo(
    () => (summary ? summary.mailboxes.flatMap(({ userId }) => userId ?? []) : []),
    [summary],
  );
  return usePeopleById(ids);
}

async function saveBroken({ writeBroken }: PlannerHandle): Promise<void> {
  try {
    const rows = await writeBroken();
    if (rows) saveFile('rows-not-imported.csv', formatCsv(rows));
  } catch (thrown) {
    toast({
      tone: 'bad',
      title: 'The broken rows were not saved',
      description: toServiceError(thrown).message,
    });
  }
}

/** A job of the plan. */
interface PlannedJob {
  kind: ItemKind;
  upload: RequestShare[];
  fileName: string;
}

async function listJobsOfPlan(
  { planner, alive }: PlannerClient,
  summary: PlanSummary,
  files: readonly ReadFile[],
): Promise<PlannedJob[]> {
  const jobs: PlannedJob[] = [];
  for (const kind of getKinds(summary)) {
    const uploads = await alive(planner.listUploads(kind));
    for (const [index, upload] of uploads.entries()) {
      const part = uploads.length > 1 ? `, part ${index + 1} of ${uploads.length}` : '';
      jobs.push({
        kind,
        upload,
        fileName: `${describeFiles(files, MAX_FILE_NAME_CHARS - part.length)}${part}`,
      });
    }
  }
  return jobs;
}

/** Progress of the start of a plan. */
interface Start {
  summary?: PlanSummary;
  /** Jobs of the plan that have started: they are not sent again when a later one could not start. */
  jobs: readonly Job[];
  share?: number;
  error?: ServiceError;
}

/** Sends the items to jobs of the service, which run when the browser is closed. */
function useStart({ getClient, summary, files, discard }: PlannerHandle) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [state, setState] = useState<Start>({ jobs: [] });
  const run = async () => {
    const client = getClient();
    if (!client || !summary) return;
    const { planner, alive } = client;
    let jobs = state.summary === summary ? state.jobs : [];
    const report = (progress: Pick<Start, 'share' | 'error'>) => setState({ summary, jobs, ...progress });
    report({ share: 0 });
    try {
      const planned = await listJobsOfPlan(client, summary, files);
      for (const { kind, upload, fileName } of planned.slice(jobs.length)) {
        const items = await alive(planner.getUploadItems(kind, upload));
        const job = await uploadPlan({
          kind: 'relationships.import',
          identifiedBy: { kind, fileName },
          items,
          start: async () => {
            const { data } = await startRelationshipImport({ body: { kind, uploadsItems: true, fileName } });
            return data;
          },
          onProgress: (share) => report({ share: (jobs.length + share) / planned.length }),
          onChanged: () =>
            toast({
              title: `${fileName} has changed since its upload was interrupted`,
              description: 'The upload starts again.',
              tone: 'info',
            }),
        });
        jobs = [...jobs, job];
        showStartedJob(queryClient, job);
      }
      const last = jobs.at(-1);
      if (!last) return;
      await navigate({ to: '/jobs/$jobId', params: { jobId: last.id }, ignoreBlocker: true });
      discard();
    } catch (thrown) {
      // The page says that the planner has failed.
      report(getClient() === client ? { error: toServiceError(thrown) } : {});
    }
  };
  return { ...state, run };
}

const MAX_FILE_NAME_CHARS = 255;

const describeFiles = (files: readonly ReadFile[], maxChars: number): string => {
  const [first] = files;
  const name = first?.name ?? '';
  const text =
    files.length > 1 ? `${name} and ${pluralize(files.length - 1, 'other file', 'other files')}` : name;
  return text.slice(-maxChars);
};

interface FilesCardProps {
  files: readonly ReadFile[];
  summary: PlanSummary | undefined;
  reading: PlannerHandle['reading'];
  onDiscard: () => void;
}

/** The files, and how many of their rows are mended, broken and sent. */
function FilesCard({ files, summary, reading, onDiscard }: FilesCardProps) {
  const [first] = files;
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const seconds = files.reduce((sum, file) => sum + file.durationMs, 0) / 1000;
  const formats = [...new Set(files.map(({ format }) => FORMAT_NAMES[format]))].join(', ');
  const orders = new Set(files.flatMap(({ dateOrder }) => dateOrder ?? []));
  const order = orders.size === 1 ? DATE_ORDERS.find(({ value }) => orders.has(value)) : undefined;
  return (
    <section className="card ri-file" aria-label="Files">
      <Tile icon={FileText} tone="ok" />
      <div className="ri-file-name">
        <b>{files.length === 1 ? first?.name : pluralize(files.length, 'file', 'files')}</b>
        <span className="ri-note num">
          {formats} · {formatSize(bytes)} · read in {Math.max(0.1, seconds).toFixed(1)} s
          {order && ` · 3/4/2026 is ${order.label}`}
        </span>
        {reading && <ReadingProgress reading={reading} />}
      </div>
      {summary && (
        <ol className="ri-steps">
          <Step label="found" value={summary.rows} />
          <Step label="mended" value={summary.mended} />
          <Step label="broken" value={summary.broken} isBad={summary.broken > 0} />
          <Step label="to send" value={summary.toSend.emails + summary.toSend.meetings} />
        </ol>
      )}
      <Button onClick={onDiscard}>Replace</Button>
    </section>
  );
}

function Step({ label, value, isBad = false }: { label: string; value: number; isBad?: boolean }) {
  return (
    <li className={cx('ri-step', isBad && 'ri-step-bad')}>
      <b className="num">{formatNumber(value)}</b>
      <span>{label}</span>
    </li>
  );
}

/** Bars that are drawn; the table has all requests. */
const MAX_BARS = 120;
const MAX_ROWS = 500;

interface FlightPlanProps {
  summary: PlanSummary;
  people: ReadonlyMap<number, { name: string }>;
  perMinute: number;
}

/** The requests with their times, at the pace of the site. */
function FlightPlan({ summary: { requests, longest }, people, perMinute }: FlightPlanProps) {
  const { data: budget } = useQuery(budgetQuery);
  const now = useNow();
  const isUsedUp = budget !== undefined && budget.used >= perMinute;
  const start = now + (isUsedUp ? budget.resetSeconds * 1000 : 0);
  const { starts, end } = useMemo(
    () => scheduleRequests(requests.length, { start, requestsPerMinute: perMinute }),
    [requests, perMinute, start],
  );
  const highest = requests.reduce((most, { count }) => Math.max(most, count), 1);
  const [first] = starts;
  const bars = requests.slice(0, MAX_BARS);
  return (
    <Card
      title="Flight plan"
      actions={
        <span className="ri-note num">
          {first !== undefined && `${formatExactMoment(first)} to `}
          <b>{formatExactMoment(end)}</b>
        </span>
      }
    >
      <CardBody>
        <p className="ri-note">
          {pluralize(requests.length, 'request', 'requests')}, one at a time, {perMinute} a minute, if they
          start now.
        </p>
        <div className="ri-bars" aria-hidden>
          {bars.map(({ count, kind, users }, at) => (
            <span
              // oxlint-disable-next-line react/no-array-index-key -- requests have no other identity
              key={at}
              className="ri-bar"
              title={`Request ${at + 1}: ${describeCount(kind, count)} of ${pluralize(users, 'person', 'people')}, about ${formatExactMoment(starts[at] ?? end)}`}
            >
              <i style={{ blockSize: `${Math.max(2, (count / highest) * 100)}%` }} />
            </span>
          ))}
        </div>
        {requests.length > MAX_BARS && (
          <p className="ri-note">
            The first {MAX_BARS} of {formatNumber(requests.length)} requests.
          </p>
        )}
        {longest && (
          <p className="ri-why">
            <b>Why {formatNumber(requests.length)}?</b>{' '}
            {people.get(longest.userId)?.name ?? `User ${longest.userId}`} has{' '}
            {describeCount(longest.kind, longest.count)}, and one request takes{' '}
            {formatNumber(longest.perUser)} of each person. Without that mailbox it would be{' '}
            {formatNumber(longest.otherwise)}.
          </p>
        )}
        <details className="ri-table">
          <summary>Requests as a table</summary>
          {/* A stop of its own lets the keyboard scroll. */}
          {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
          <section className="ri-table-scroll" tabIndex={0} aria-label="Requests">
            <table>
              <thead>
                <tr>
                  <th scope="col">Request</th>
                  <th scope="col">Items</th>
                  <th scope="col">People</th>
                  <th scope="col">About</th>
                </tr>
              </thead>
              <tbody>
                {requests.slice(0, MAX_ROWS).map(({ count, kind, users }, at) => (
                  // oxlint-disable-next-line react/no-array-index-key -- requests have no other identity
                  <tr key={at}>
                    <th scope="row">{at + 1}</th>
                    <td>{describeCount(kind, count)}</td>
                    <td>{formatNumber(users)}</td>
                    <td title={formatExactDate(new Date(starts[at] ?? end))}>
                      {formatExactMoment(starts[at] ?? end)}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
        </details>
      </CardBody>
    </Card>
  );
}

const describeCount = (kind: ItemKind, count: number): string =>
  kind === 'emails' ? pluralize(count, 'e-mail', 'e-mails') : pluralize(count, 'meeting', 'meetings');

/** What was repaired and how, and what is left out. */
function Mends({ summary, onSaveBroken }: { summary: PlanSummary; onSaveBroken: () => void }) {
  const { mends, broken, withoutUser, tooOld, copies } = summary;
  const mended = Object.entries(MEND_TEXTS).flatMap(([mend, text]) => {
    const count = mends[mend as keyof typeof mends] ?? 0;
    return count > 0 ? [{ ...text, mend, count }] : [];
  });
  if (mended.length === 0 && broken + tooOld + copies === 0) return null;
  return (
    <Card
      title="Mended and left out"
      actions={
        broken > 0 && (
          <Button onClick={onSaveBroken}>{pluralize(broken, 'broken row', 'broken rows')} as a file</Button>
        )
      }
    >
      <CardBody>
        <dl className="ri-mends">
          {mended.map(({ mend, label, count, explanation }) => (
            <div key={mend}>
              <dt>
                <b className="num">{formatNumber(count)}</b> {label}
              </dt>
              <dd>{explanation}</dd>
            </div>
          ))}
          {withoutUser > 0 && (
            <div>
              <dt>
                <b className="num">{formatNumber(withoutUser)}</b> without a person of this site
              </dt>
              <dd>
                No user of this site is among the sender and the recipients, so they cannot be imported for.
              </dd>
            </div>
          )}
          {tooOld > 0 && (
            <div>
              <dt>
                <b className="num">{formatNumber(tooOld)}</b> before the accepted period
              </dt>
              <dd>The service skips older items, so they are not sent.</dd>
            </div>
          )}
          {copies > 0 && (
            <div>
              <dt>
                <b className="num">{formatNumber(copies)}</b> copies
              </dt>
              <dd>Items with the id of another one of the same person; the first is sent.</dd>
            </div>
          )}
        </dl>
      </CardBody>
    </Card>
  );
}
