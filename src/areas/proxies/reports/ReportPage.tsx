import { Link, getRouteApi } from '@tanstack/react-router';
import { Activity, Download, Printer, RefreshCw, Eye, Pencil } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { ActingReport, ProxyPerson, ActingStep } from '../../../api/generated/types.gen.ts';
import { useAllowed } from '../../../api/session.ts';
import { openExport } from '../../export/index.ts';
import { exactDate, clockTime } from '../../../lib/dates.ts';
import { count, counted } from '../../../lib/numbers.ts';
import { Trail } from '../../../ui/layout/Trail.tsx';
import { Button } from '../../../ui/button/Button.tsx';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { Choice } from '../../../ui/chart/Choice.tsx';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import { Fact, Facts } from '../../../ui/layout/Facts.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { writeMoment } from '../../activity/model/view.ts';
import { reportName } from './report-columns.tsx';
import { useReport } from './reports-query.ts';
import { countsOf, lasted, toldSteps, outcomeOf, inWords, userIn } from './steps.ts';
import { readActingReport } from '../../../api/generated/sdk.gen.ts';
import type { ExportSource } from '../../export/source.ts';
import { usePeople } from '../../../directory/directory.ts';
import type { DirectoryRow } from '../../../directory/row.ts';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { cx } from '../../../ui/cx.ts';
import type { ToldStep } from './steps.ts';
import './report.css';

const route = getRouteApi('/_app/proxies/reports/$reportId');
// A minute on either side: moments there are rounded.
const BEFORE = 60_000;
const KINDS = [
  { value: 'all', label: 'All' },
  { value: 'writes', label: 'Changes' },
  { value: 'reads', label: 'Reads' },
] as const;

/** What one person saw and did in the name of another, step by step; made to be printed as well. */
export function ReportPage() {
  const { reportId } = route.useParams();
  const { report, steps, isFetching, refetch, hasMore, isReadingOn, readOn } = useReport(reportId);
  const { reason: notNow } = useAllowed('recordExport');
  const [kind, setKind] = useState<(typeof KINDS)[number]['value']>('all');
  const told = useMemo(() => toldSteps(steps), [steps]);
  if (!report) return null;
  const { reads, writes, refused } = countsOf(steps);
  const shown = told.filter(({ isWrite }) => kind === 'all' || isWrite === (kind === 'writes'));
  return (
    <Page
      title={reportName(report)}
      breadcrumbs={<Trail />}
      meta={`${counted(reads, 'read', 'reads')} · ${counted(writes, 'change', 'changes')}${refused > 0 ? ` · ${count(refused)} refused or failed` : ''}${hasMore ? ', so far' : ''}`}
      actions={
        <span className="report-actions">
          {report.endedDate === null && (
            <IconButton label="Read again" icon={RefreshCw} pending={isFetching} onClick={refetch} />
          )}
          <ActivityLink report={report} />
          <Button
            icon={Download}
            disabledReason={notNow ?? (report.steps === 0 ? 'There are no steps yet' : undefined)}
            onClick={() => openExport(stepsSource(report))}
          >
            Export
          </Button>
          <Button icon={Printer} onClick={() => print()}>
            Print
          </Button>
        </span>
      }
    >
      <Card title="Who, for whom, why">
        <ReportFacts report={report} />
      </Card>
      <Card
        title="Step by step"
        actions={<Choice label="Which steps" options={KINDS} value={kind} onChange={setKind} />}
      >
        <StepsTable steps={shown} kind={kind} />
        {hasMore && (
          <div className="report-more">
            <Button pending={isReadingOn} onClick={readOn}>
              Show more steps
            </Button>
          </div>
        )}
      </Card>
    </Page>
  );
}

/** What the activity report has of the same time: sign-ins, exports, the switch itself. */
function ActivityLink({
  report: { proxyUser, principal, startedDate, endedDate },
}: {
  report: ActingReport;
}) {
  const { allowed } = useAllowed('queryUserActivity');
  if (!allowed) return null;
  return (
    <Link
      to="/activity"
      search={{
        people: proxyUser.id,
        for: principal.id,
        from: writeMoment(Date.parse(startedDate) - BEFORE),
        ...(endedDate !== null && { to: writeMoment(Date.parse(endedDate) + BEFORE) }),
      }}
      className={buttonClass()}
    >
      <Activity />
      Activity
    </Link>
  );
}

function ReportFacts({ report }: { report: ActingReport }) {
  const { proxyUser, principal, source, reason, startedDate, endedDate } = report;
  return (
    <Facts>
      <Fact label="Proxy">
        <PersonWords person={proxyUser} />
      </Fact>
      <Fact label="Acted for">
        <PersonWords person={principal} />
      </Fact>
      <Fact label="Reason">
        {reason ?? 'None: a program acted with AS-USER, all of one day in one report'}
      </Fact>
      <Fact label="Through">{source === 'console' ? 'The console' : 'A program (AS-USER)'}</Fact>
      <Fact label="Began">{exactDate(startedDate)}</Fact>
      <Fact label="Ended">
        {endedDate === null ? 'Going on' : `${exactDate(endedDate)}, after ${lasted(startedDate, endedDate)}`}
      </Fact>
    </Facts>
  );
}

const PersonWords = ({ person: { id, fullName, email } }: { person: ProxyPerson }) => (
  <span className="report-person">
    <Link to="/users/$userId" params={{ userId: id }}>
      {fullName}
    </Link>
    <span className="px-quiet">
      {email}, id {id}
    </span>
  </span>
);

const PAGE = 1000;

interface Column {
  heading: string;
  width: number;
  cell: (step: ActingStep) => string | number | Date;
}

const COLUMNS: readonly Column[] = [
  { heading: 'Time (UTC)', width: 20, cell: ({ date }) => new Date(date) },
  { heading: 'Kind', width: 10, cell: ({ isWrite }) => (isWrite ? 'Change' : 'Read') },
  { heading: 'What', width: 40, cell: ({ summary }) => summary },
  { heading: 'Operation', width: 26, cell: ({ operationId }) => operationId },
  { heading: 'About', width: 40, cell: ({ subject }) => subject },
  { heading: 'Outcome', width: 24, cell: (step) => outcomeOf(step).words },
];

/** Every step of a report as a table, each for itself. */
function stepsSource(report: ActingReport): ExportSource {
  return {
    subject: 'acting-report',
    sheet: 'Steps',
    words: (rows) => counted(rows, 'step', 'steps'),
    columns: COLUMNS.map(({ heading, width }) => ({ heading, width })),
    total: report.steps,
    filter: `${reportName(report)} · ${exactDate(report.startedDate)}`,
    search: undefined,
    async *portions(signal) {
      for (let pageNumber = 1; ; pageNumber += 1) {
        const query = { pageNumber, pageSize: PAGE };
        // oxlint-disable-next-line no-await-in-loop -- a page that is not full is the last one (shapes 1)
        const { data } = await readActingReport({ path: { id: report.id }, query, signal });
        yield data.steps.map((step) => COLUMNS.map(({ cell }) => cell(step)));
        if (data.steps.length < PAGE) return;
      }
    },
  };
}

const NONE: Record<'all' | 'writes' | 'reads', string> = {
  all: 'Nothing was read or changed.',
  writes: 'Nothing was changed.',
  reads: 'Nothing was read.',
};

/** The steps in the order of time. A plain table: what is printed has to be in the document. */
function StepsTable({ steps, kind }: { steps: readonly ToldStep[]; kind: keyof typeof NONE }) {
  const ids = useMemo(
    () => [...new Set(steps.flatMap(({ parts }) => parts.flatMap((part) => userIn(part) ?? [])))],
    [steps],
  );
  const people = usePeople(ids);
  if (steps.length === 0) {
    return (
      <CardBody>
        <p className="px-quiet">{NONE[kind]}</p>
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
        {steps.map((step) => (
          <StepRow key={step.key} step={step} people={people} />
        ))}
      </tbody>
    </table>
  );
}

interface StepRowProps {
  step: ToldStep;
  people: ReadonlyMap<number, DirectoryRow>;
}

function StepRow({ step, people }: StepRowProps) {
  const { date, summary, operationId, isWrite, parts, times } = step;
  const { words, bad } = outcomeOf(step);
  const Icon = isWrite ? Pencil : Eye;
  return (
    <tr className={cx(isWrite && 'steps-write')}>
      <td className="num">
        <time dateTime={date} title={exactDate(date)}>
          {clockTime(new Date(date))}
        </time>
      </td>
      <th scope="row">
        <span className="steps-what">
          <Icon />
          <span>
            <span className="visually-hidden">{isWrite ? 'Change: ' : 'Read: '}</span>
            {summary || operationId}
            {times > 1 && <span className="steps-times num"> {count(times)} times</span>}
          </span>
        </span>
      </th>
      <td>
        {parts.map((part) => (
          <span key={part.name} className="steps-part">
            <Part {...part} people={people} />
          </span>
        ))}
      </td>
      <td>{bad ? <Badge tone="warn">{words}</Badge> : words}</td>
    </tr>
  );
}

function Part({ name, value, people }: { name: string; value: string } & Pick<StepRowProps, 'people'>) {
  const id = userIn({ name, value });
  if (id === undefined) return `${inWords(name)} ${value}`;
  return (
    <Link to="/users/$userId" params={{ userId: id }}>
      {people.get(id)?.name ?? `user ${id}`}
    </Link>
  );
}
