import { Download, RotateCcw } from 'lucide-react';
import { useMemo, useState } from 'react';
import { closeImport, tally } from '../../../../import/job.ts';
import type { ImportRun } from '../../../../import/job.ts';
import type { RowResult } from '../../../../import/perform.ts';
import type { Planned } from '../../../../import/plan.ts';
import { failedFile, saveFailed, saveReport } from '../../../../import/report.ts';
import { count, counted } from '../../../../lib/numbers.ts';
import { Trail } from '../../../../shell/Trail.tsx';
import { Button } from '../../../../ui/button/Button.tsx';
import { confirm } from '../../../../ui/dialog/confirm.ts';
import { Banner } from '../../../../ui/feedback/Banner.tsx';
import { EmptyState } from '../../../../ui/feedback/EmptyState.tsx';
import { Badge } from '../../../../ui/layout/Badge.tsx';
import { Page } from '../../../../ui/layout/Page.tsx';
import type { Tone } from '../../../../ui/layout/tone.ts';
import type { Column } from '../../../../ui/table/columns.ts';
import { DataTable } from '../../../../ui/table/DataTable.tsx';
import { OutcomePicker } from './-OutcomePicker.tsx';
import { Changes, PERSON, PLACE } from './-row-columns.tsx';

interface Line {
  plan: Planned;
  result: RowResult | undefined;
}
type Kind = RowResult['result'] | 'left';

const KINDS: readonly Kind[] = ['done', 'partly', 'failed', 'left'];
const WORDS: Record<Kind, { label: string; tone: Tone }> = {
  done: { label: 'Done', tone: 'ok' },
  partly: { label: 'In part', tone: 'warn' },
  failed: { label: 'Failed', tone: 'bad' },
  left: { label: 'Not yet', tone: 'neutral' },
};
const kindOf = ({ result }: Line): Kind => result?.result ?? 'left';

const COLUMNS: readonly Column<Line>[] = [
  PERSON,
  PLACE,
  {
    id: 'result',
    header: 'Result',
    width: 100,
    small: 'aside',
    cell: (line) => <Badge tone={WORDS[kindOf(line)].tone}>{WORDS[kindOf(line)].label}</Badge>,
  },
  {
    id: 'why',
    header: 'What happened',
    minWidth: 360,
    small: 'line',
    cell({ plan, result }) {
      if (result?.why === undefined) return <Changes changes={plan.changes} />;
      const words = `${result.done.length > 0 ? `${result.done.join(', ')} done. ` : ''}${result.why}`;
      return (
        <span className="import-fault" title={words}>
          {words}
        </span>
      );
    },
  },
];
const rowOf = ({ plan }: Line) => plan.row;
const nameOf = ({ plan }: Line) => plan.name || plan.email;

const TITLES = {
  running: 'Importing',
  stopped: 'The import has stopped',
  done: 'Imported',
  failed: 'Imported, but not all',
};

/** An import on its way or at its end, row by row. */
export function Running({ run, onAgain }: { run: ImportRun; onAgain: (file: File) => void }) {
  const { state, rows, results, trouble, fileName } = run;
  const [shown, setShown] = useState<Kind | 'all'>('all');
  const counts = tally(run);
  const lines = useMemo(
    () =>
      run.rows
        .map((plan) => ({ plan, result: run.results.get(plan.row) }))
        .filter((line) => shown === 'all' || kindOf(line) === shown),
    [run, shown],
  );
  const failed = counts.failed + counts.partly;
  const again = () => {
    const file = failedFile(run);
    closeImport();
    onAgain(file);
  };
  return (
    <Page
      fill
      title="Import users"
      breadcrumbs={<Trail />}
      meta={`${TITLES[state]}: ${count(results.size)} of ${counted(rows.length, 'person', 'people')} from ${fileName}`}
      actions={<Actions {...{ run, failed }} onAgain={again} />}
    >
      {state === 'running' && (
        <progress
          className="import-progress"
          aria-label="Import"
          value={results.size / rows.length}
          max={1}
        />
      )}
      {trouble !== undefined && (
        <Banner tone="warn" title={trouble}>
          Who was not reached is kept. Continue when the service answers again.
        </Banner>
      )}
      <OutcomePicker
        label="Rows shown"
        value={shown}
        onChange={setShown}
        options={[
          { value: 'all', label: rows.length === 1 ? 'row' : 'rows', count: rows.length, tone: 'neutral' },
          ...KINDS.map((kind) => ({ value: kind, count: counts[kind], ...WORDS[kind] })),
        ]}
      />
      <DataTable
        label="Imported rows"
        columns={COLUMNS}
        rows={lines}
        rowId={rowOf}
        rowLabel={nameOf}
        empty={<EmptyState title="No such rows">No row has this result.</EmptyState>}
      />
    </Page>
  );
}

async function discard({ rows, results }: ImportRun): Promise<void> {
  const left = counted(rows.length - results.size, 'row', 'rows');
  const agreed = await confirm({
    title: `Discard ${left}?`,
    body: 'They are not sent. What was done stays; the report of it stays in the tray.',
    action: `Discard ${left}`,
    danger: true,
  });
  if (agreed) closeImport();
}

interface ActionsProps {
  run: ImportRun;
  failed: number;
  onAgain: () => void;
}

function Actions({ run, failed, onAgain }: ActionsProps) {
  const { state, stop, goOn } = run;
  if (state === 'running') return <Button onClick={stop}>Stop</Button>;
  return (
    <>
      <Button icon={Download} onClick={() => saveReport(run)}>
        Report
      </Button>
      {failed > 0 && (
        <>
          <Button icon={Download} onClick={() => saveFailed(run)}>
            Failed rows
          </Button>
          <Button icon={RotateCcw} onClick={onAgain}>
            Check the failed rows again
          </Button>
        </>
      )}
      {state === 'stopped' ? (
        <>
          <Button onClick={() => void discard(run)}>Discard what is left</Button>
          <Button variant="primary" onClick={goOn}>
            Continue
          </Button>
        </>
      ) : (
        <Button variant="primary" onClick={closeImport}>
          Import another file
        </Button>
      )}
    </>
  );
}
