import { useQueryClient } from '@tanstack/react-query';
import { Link, getRouteApi } from '@tanstack/react-router';
import { Activity, Download, Printer, RefreshCw, Eye, Pencil } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { ActingReport, ProxyPerson } from '../../../../contract/generated/types.gen.ts';
import { formatOutcome } from '../../../../contract/rules/people/acting-steps.ts';
import { startActingReportExport } from '../../../api/generated/sdk/jobs.gen.ts';
import { usePermission } from '../../../api/session.ts';
import { usePeopleById } from '../../../directory/directory.ts';
import type { DirectoryRow } from '../../../directory/engine/row.ts';
import { formatExactDate, formatTime } from '../../../lib/dates/dates.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { cx } from '../../../ui/cx.ts';
import { FailureBanner } from '../../../ui/feedback/FailureBanner.tsx';
import { SegmentedControl } from '../../../ui/form/SegmentedControl.tsx';
import { keepFocus } from '../../../ui/keep-focus.ts';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Breadcrumbs } from '../../../ui/layout/Breadcrumbs.tsx';
import { Card, CardBody, Fact, Facts } from '../../../ui/layout/Card.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { serializeTimestamp } from '../../activity/index.ts';
import { openExport } from '../../export/index.ts';
import type { ExportSource } from '../../export/index.ts';
import { formatReportName } from './report-columns.tsx';
import { countSteps, formatDuration, groupSteps, formatParameterName, getUserId } from './report-steps.ts';
import type { ReportLine } from './report-steps.ts';
import { useReport } from './reports-query.ts';
import './report.css';

const route = getRouteApi('/_app/proxies/reports/$reportId');
// The activity report rounds its period to minutes.
const ACTIVITY_MARGIN_MS = 60_000;
const KINDS = [
  { value: 'all', label: 'All' },
  { value: 'writes', label: 'Changes' },
  { value: 'reads', label: 'Reads' },
] as const;

/** One acting report: what a proxy viewed and changed on behalf of a user. Has a print layout. */
export function ReportPage() {
  const { reportId } = route.useParams();
  const client = useQueryClient();
  const { report, steps, error, isFetching, refetch, ...more } = useReport(reportId);
  const { hasMore, isLoadingMore, isMoreFailed, loadMore } = more;
  const { reason: exportDisabledReason } = usePermission('startActingReportExport');
  const [kind, setKind] = useState<(typeof KINDS)[number]['value']>('all');
  const lines = useMemo(() => groupSteps(steps), [steps]);
  if (!report) return null;
  const { reads, writes, refused } = countSteps(steps);
  const visibleLines = lines.filter(({ isWrite }) => kind === 'all' || isWrite === (kind === 'writes'));
  return (
    <Page
      title={formatReportName(report)}
      breadcrumbs={<Breadcrumbs />}
      meta={`${pluralize(reads, 'read', 'reads')} · ${pluralize(writes, 'change', 'changes')}${refused > 0 ? ` · ${formatNumber(refused)} refused or failed` : ''}${hasMore ? ', so far' : ''}`}
      actions={
        <span className="report-actions">
          {report.endedDate === null && (
            <IconButton label="Refresh" icon={RefreshCw} pending={isFetching} onClick={refetch} />
          )}
          <ActivityLink report={report} />
          <Button
            icon={Download}
            disabledReason={
              exportDisabledReason ?? (report.steps === 0 ? 'There are no steps yet' : undefined)
            }
            onClick={() => openExport(client, () => createStepsSource(report))}
          >
            Export
          </Button>
          <Button icon={Printer} onClick={() => print()}>
            Print
          </Button>
        </span>
      }
    >
      {error && !isMoreFailed && <FailureBanner failure={error} />}
      <Card title="Details">
        <ReportFacts report={report} />
      </Card>
      <Card
        title="Steps"
        actions={<SegmentedControl label="Steps shown" options={KINDS} value={kind} onChange={setKind} />}
      >
        <StepsTable lines={visibleLines} kind={kind} />
        {hasMore && (
          <div className="report-more">
            {error && isMoreFailed && <FailureBanner failure={error} />}
            <Button ref={keepFocus} pending={isLoadingMore} onClick={loadMore}>
              Show more steps
            </Button>
          </div>
        )}
      </Card>
    </Page>
  );
}

/** Link to the activity of the same period: sign-ins, exports and the user switch itself. */
function ActivityLink({
  report: { proxyUser, principal, startedDate, endedDate },
}: {
  report: ActingReport;
}) {
  const { allowed } = usePermission('queryUserActivity');
  if (!allowed) return null;
  return (
    <Link
      to="/activity"
      search={{
        people: proxyUser.id,
        for: principal.id,
        from: serializeTimestamp(Date.parse(startedDate) - ACTIVITY_MARGIN_MS),
        ...(endedDate !== null && { to: serializeTimestamp(Date.parse(endedDate) + ACTIVITY_MARGIN_MS) }),
      }}
      className={buttonClass()}
    >
      <Activity />
      Activity
    </Link>
  );
}

/** Why a report has no reason, by its source. */
const NO_REASON = {
  console: 'None',
  api: 'None (a program acted with AS-USER; one report per day)',
} satisfies Record<ActingReport['source'], string>;

function ReportFacts({ report }: { report: ActingReport }) {
  const { proxyUser, principal, source, reason, startedDate, endedDate } = report;
  return (
    <Facts>
      <Fact label="Proxy">
        <PersonDetails person={proxyUser} />
      </Fact>
      <Fact label="Acted for">
        <PersonDetails person={principal} />
      </Fact>
      <Fact label="Reason">{reason ?? NO_REASON[source]}</Fact>
      <Fact label="Source">{source === 'console' ? 'The console' : 'A program (AS-USER)'}</Fact>
      <Fact label="Started">{formatExactDate(startedDate)}</Fact>
      <Fact label="Ended">
        {endedDate === null
          ? 'In progress'
          : `${formatExactDate(endedDate)}, after ${formatDuration(startedDate, endedDate)}`}
      </Fact>
    </Facts>
  );
}

const PersonDetails = ({ person: { id, fullName, email } }: { person: ProxyPerson }) => (
  <span className="report-person">
    <Link to="/users/$userId" params={{ userId: id }}>
      {fullName}
    </Link>
    <span className="px-quiet">
      {email}, id {id}
    </span>
  </span>
);

/** Export of all steps of a report by the service, one row each. */
const createStepsSource = (report: ActingReport): ExportSource => ({
  formatCount: (rows) => pluralize(rows, 'step', 'steps'),
  total: report.steps,
  filter: `${formatReportName(report)} · ${formatExactDate(report.startedDate)}`,
  async start(format) {
    const { data: job } = await startActingReportExport({ body: { format, reportId: report.id } });
    return job;
  },
});

const EMPTY_TEXTS: Record<'all' | 'writes' | 'reads', string> = {
  all: 'Nothing was viewed or changed.',
  writes: 'Nothing was changed.',
  reads: 'Nothing was viewed.',
};

/** Steps in chronological order. A plain table, because a virtualized one cannot be printed. */
function StepsTable({ lines, kind }: { lines: readonly ReportLine[]; kind: keyof typeof EMPTY_TEXTS }) {
  const ids = useMemo(
    () => [
      ...new Set(
        lines.flatMap(({ parameters }) => parameters.flatMap((parameter) => getUserId(parameter) ?? [])),
      ),
    ],
    [lines],
  );
  const people = usePeopleById(ids);
  if (lines.length === 0) {
    return (
      <CardBody>
        <p className="px-quiet">{EMPTY_TEXTS[kind]}</p>
      </CardBody>
    );
  }
  return (
    <table className="steps">
      <thead>
        <tr>
          <th scope="col">Time</th>
          <th scope="col">What</th>
          <th scope="col">About</th>
          <th scope="col">Outcome</th>
        </tr>
      </thead>
      <tbody>
        {lines.map((line) => (
          <StepRow key={line.key} line={line} people={people} />
        ))}
      </tbody>
    </table>
  );
}

interface StepRowProps {
  line: ReportLine;
  people: ReadonlyMap<number, DirectoryRow>;
}

function StepRow({ line, people }: StepRowProps) {
  const { date, summary, operationId, isWrite, parameters, repeatCount } = line;
  const { text, isFailure } = formatOutcome(line);
  const Icon = isWrite ? Pencil : Eye;
  return (
    <tr className={cx(isWrite && 'steps-write')}>
      <td className="num">
        <time dateTime={date} title={formatExactDate(date)}>
          {formatTime(new Date(date))}
        </time>
      </td>
      <th scope="row">
        <span className="steps-what">
          <Icon />
          <span>
            <span className="visually-hidden">{isWrite ? 'Change: ' : 'Read: '}</span>
            {summary || operationId}
            {repeatCount > 1 && <span className="steps-times num"> {formatNumber(repeatCount)} times</span>}
          </span>
        </span>
      </th>
      <td>
        {parameters.map((parameter) => (
          <span key={parameter.name} className="steps-part">
            <StepParameter {...parameter} people={people} />
          </span>
        ))}
      </td>
      <td>{isFailure ? <Badge tone="warn">{text}</Badge> : text}</td>
    </tr>
  );
}

function StepParameter({
  name,
  value,
  people,
}: { name: string; value: string } & Pick<StepRowProps, 'people'>) {
  const id = getUserId({ name, value });
  if (id === undefined) return `${formatParameterName(name)} ${value}`;
  return (
    <Link to="/users/$userId" params={{ userId: id }}>
      {people.get(id)?.name ?? `user ${id}`}
    </Link>
  );
}
