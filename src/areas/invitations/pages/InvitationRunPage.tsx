import { Link } from '@tanstack/react-router';
import { Download, RotateCcw } from 'lucide-react';
import { formatNumber } from '../../../lib/numbers.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import type { Tone } from '../../../ui/layout/Badge.tsx';
import { Breadcrumbs } from '../../../ui/layout/Breadcrumbs.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import type { Column } from '../../../ui/table/columns.ts';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { clearDraft, returnToDraft } from '../model/draft.ts';
import type { RequestResult } from '../model/execute-request.ts';
import { countResults, ACTION_LABELS } from '../model/job.ts';
import type { InvitationRun } from '../model/job.ts';
import type { InvitationRequest } from '../model/requests.ts';

interface ResultRow {
  request: InvitationRequest;
  result: RequestResult | undefined;
}
type ResultStatus = RequestResult['result'] | 'left';

const STATUS_DISPLAY: Record<ResultStatus, { label: string; tone: Tone; order: number }> = {
  failed: { label: 'Failed', tone: 'bad', order: 0 },
  left: { label: 'Pending', tone: 'neutral', order: 1 },
  done: { label: 'Done', tone: 'ok', order: 2 },
};
const getStatus = ({ result }: ResultRow): ResultStatus => result?.result ?? 'left';

const COLUMNS: readonly Column<ResultRow>[] = [
  {
    id: 'email',
    header: 'E-mail',
    minWidth: 200,
    cell: ({ request: { email } }) => (
      <span className="inv-email" title={email}>
        {email}
      </span>
    ),
  },
  {
    id: 'does',
    header: 'Requested',
    width: 190,
    cell: ({ request }) => <span className="person-soft">{ACTION_LABELS[request.action]}</span>,
  },
  {
    id: 'result',
    header: 'Result',
    width: 90,
    small: 'aside',
    cell: (line) => (
      <Badge tone={STATUS_DISPLAY[getStatus(line)].tone}>{STATUS_DISPLAY[getStatus(line)].label}</Badge>
    ),
  },
  {
    id: 'words',
    header: 'What happened',
    minWidth: 320,
    small: 'line',
    cell: ({ result }) => (
      <span className={result?.result === 'failed' ? 'inv-refused' : 'person-soft'} title={result?.message}>
        {result?.message}
      </span>
    ),
  },
];
const getEmail = ({ request }: ResultRow) => request.email;

const STATE_TITLES: Record<InvitationRun['state'], string> = {
  running: 'Sending',
  stopped: 'Stopped',
  done: 'Done',
  failed: 'Done with failures',
};

/** Results of a run, failed requests first. */
export function InvitationRunPage({ run }: { run: InvitationRun }) {
  const { requests, results, state, error } = run;
  const { failed } = countResults(run);
  const lines = requests.map((request) => ({ request, result: results.get(request) }));
  // The order stays while it runs, so that rows do not move.
  const shown =
    state === 'running'
      ? lines
      : lines.toSorted((a, b) => STATUS_DISPLAY[getStatus(a)].order - STATUS_DISPLAY[getStatus(b)].order);
  return (
    <Page
      fill
      title="Invite people"
      breadcrumbs={<Breadcrumbs />}
      meta={`${STATE_TITLES[state]}: ${formatNumber(results.size)} of ${formatNumber(requests.length)}${failed > 0 ? `, ${formatNumber(failed)} failed` : ''}`}
      actions={<Actions run={run} failed={failed} />}
    >
      {state === 'running' && (
        <progress
          className="inv-progress"
          aria-label="Sending"
          value={results.size / requests.length}
          max={1}
        />
      )}
      {error !== undefined && (
        <Banner tone="warn" title={error}>
          {state === 'stopped' && 'Unsent and failed addresses are kept. Continue later.'}
        </Banner>
      )}
      <DataTable
        label="Results"
        columns={COLUMNS}
        rows={shown}
        rowId={getEmail}
        rowLabel={getEmail}
        empty={<EmptyState title="Nothing was sent" />}
      />
    </Page>
  );
}

function Actions({ run, failed }: { run: InvitationRun; failed: number }) {
  const { state, stop, resume, retryFailed, saveReport } = run;
  if (state === 'running') return <Button onClick={stop}>Stop</Button>;
  return (
    <>
      <Button icon={Download} onClick={saveReport}>
        Report
      </Button>
      {failed > 0 || state === 'stopped' ? (
        <Button onClick={returnToDraft}>Edit the addresses</Button>
      ) : (
        <Button onClick={clearDraft}>Invite others</Button>
      )}
      {state === 'stopped' && (
        <Button variant="primary" onClick={resume}>
          Continue
        </Button>
      )}
      {state === 'failed' && (
        <Button variant="primary" icon={RotateCcw} onClick={retryFailed}>
          Try {formatNumber(failed)} again
        </Button>
      )}
      {state === 'done' && (
        <Link to="/invitations" className={buttonClass({ variant: 'primary' })} onClick={clearDraft}>
          Show the invitations
        </Link>
      )}
    </>
  );
}
