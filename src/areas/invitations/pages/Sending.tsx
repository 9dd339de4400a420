import { Link } from '@tanstack/react-router';
import { Download, RotateCcw } from 'lucide-react';
import { count } from '../../../lib/numbers.ts';
import { Trail } from '../../../ui/layout/Trail.tsx';
import { Button } from '../../../ui/button/Button.tsx';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import type { Tone } from '../../../ui/layout/tone.ts';
import type { Column } from '../../../ui/table/columns.ts';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { beginAnew, reviewAgain } from '../model/draft.ts';
import { tally } from '../model/job.ts';
import type { InvitationRun } from '../model/job.ts';
import type { Order } from '../model/order.ts';
import type { Result } from '../model/perform.ts';
import { DOES } from '../model/report.ts';

interface Line {
  order: Order;
  result: Result | undefined;
}
type Kind = Result['result'] | 'left';

const KINDS: Record<Kind, { label: string; tone: Tone; order: number }> = {
  failed: { label: 'Failed', tone: 'bad', order: 0 },
  left: { label: 'Not yet', tone: 'neutral', order: 1 },
  done: { label: 'Done', tone: 'ok', order: 2 },
};
const kindOf = ({ result }: Line): Kind => result?.result ?? 'left';

const COLUMNS: readonly Column<Line>[] = [
  {
    id: 'email',
    header: 'E-mail',
    minWidth: 200,
    cell: ({ order: { email } }) => (
      <span className="inv-email" title={email}>
        {email}
      </span>
    ),
  },
  {
    id: 'does',
    header: 'Asked for',
    width: 190,
    cell: ({ order }) => <span className="person-soft">{DOES[order.does]}</span>,
  },
  {
    id: 'result',
    header: 'Result',
    width: 90,
    small: 'aside',
    cell: (line) => <Badge tone={KINDS[kindOf(line)].tone}>{KINDS[kindOf(line)].label}</Badge>,
  },
  {
    id: 'words',
    header: 'What happened',
    minWidth: 320,
    small: 'line',
    cell: ({ result }) => (
      <span className={result?.result === 'failed' ? 'inv-refused' : 'person-soft'} title={result?.words}>
        {result?.words}
      </span>
    ),
  },
];
const emailOf = ({ order }: Line) => order.email;

const TITLES: Record<InvitationRun['state'], string> = {
  running: 'Sending',
  stopped: 'Stopped',
  done: 'All done',
  failed: 'Done, but not all',
};

/** What was sent, on its way or at its end: what came of each, those that failed first. */
export function Sending({ run }: { run: InvitationRun }) {
  const { orders, results, state, trouble } = run;
  const { failed } = tally(run);
  const lines = orders.map((order) => ({ order, result: results.get(order) }));
  // While it runs nothing moves under the pointer.
  const shown =
    state === 'running' ? lines : lines.toSorted((a, b) => KINDS[kindOf(a)].order - KINDS[kindOf(b)].order);
  return (
    <Page
      fill
      title="Invite people"
      breadcrumbs={<Trail />}
      meta={`${TITLES[state]}: ${count(results.size)} of ${count(orders.length)}${failed > 0 ? `, ${count(failed)} failed` : ''}`}
      actions={<Actions run={run} failed={failed} />}
    >
      {state === 'running' && (
        <progress
          className="inv-progress"
          aria-label="Sending"
          value={results.size / orders.length}
          max={1}
        />
      )}
      {trouble !== undefined && (
        <Banner tone="warn" title={trouble}>
          {state === 'stopped' && 'Who was not reached is kept, and so are those who failed. Continue later.'}
        </Banner>
      )}
      <DataTable
        label="Results"
        columns={COLUMNS}
        rows={shown}
        rowId={emailOf}
        rowLabel={emailOf}
        empty={<EmptyState title="Nothing was sent" />}
      />
    </Page>
  );
}

function Actions({ run, failed }: { run: InvitationRun; failed: number }) {
  const { state, stop, goOn, again, save } = run;
  if (state === 'running') return <Button onClick={stop}>Stop</Button>;
  return (
    <>
      <Button icon={Download} onClick={save}>
        Report
      </Button>
      {failed > 0 || state === 'stopped' ? (
        <Button onClick={reviewAgain}>Change the addresses</Button>
      ) : (
        <Button onClick={beginAnew}>Invite others</Button>
      )}
      {state === 'stopped' && (
        <Button variant="primary" onClick={goOn}>
          Continue
        </Button>
      )}
      {state === 'failed' && (
        <Button variant="primary" icon={RotateCcw} onClick={again}>
          Try {count(failed)} again
        </Button>
      )}
      {state === 'done' && (
        <Link to="/invitations" className={buttonClass({ variant: 'primary' })} onClick={beginAnew}>
          Show the invitations
        </Link>
      )}
    </>
  );
}
