import { Link, getRouteApi } from '@tanstack/react-router';
import { Activity, Download, Printer, RefreshCw } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { ActingReport, ProxyPerson } from '../../../api/generated/types.gen.ts';
import { useAllowed } from '../../../api/session.ts';
import { openExport } from '../../../export/index.ts';
import { exactDate } from '../../../lib/dates.ts';
import { count, counted } from '../../../lib/numbers.ts';
import { Trail } from '../../../shell/Trail.tsx';
import { Button } from '../../../ui/button/Button.tsx';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { Choice } from '../../../ui/chart/Choice.tsx';
import { Card } from '../../../ui/layout/Card.tsx';
import { Fact, Facts } from '../../../ui/layout/Facts.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { writeMoment } from '../activity/-view.ts';
import { reportName } from './-report-columns.tsx';
import { stepsSource } from './-report-export.ts';
import { useReport } from './-reports-query.ts';
import { countsOf, lasted, toldSteps } from './-steps.ts';
import { StepsTable } from './-StepsTable.tsx';
import './-report.css';

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
