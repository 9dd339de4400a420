import { Download, RotateCcw } from 'lucide-react';
import { useMemo, useState } from 'react';
import { closeImport } from '../in-tray.ts';
import { isThrough } from '../keep.ts';
import type { RowResult } from '../keep.ts';
import type { Labels, Planned } from '../plan.ts';
import { failedFile, saveFailed, saveReport } from '../report.ts';
import type { ImportRun } from '../run.ts';
import { knownOf, tally } from '../tally.ts';
import type { Known } from '../tally.ts';
import { count, counted } from '../../../lib/numbers.ts';
import { Trail } from '../../../ui/layout/Trail.tsx';
import { Button } from '../../../ui/button/Button.tsx';
import { confirm } from '../../../ui/dialog/confirm.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import type { Tone } from '../../../ui/layout/tone.ts';
import type { Column } from '../../../ui/table/columns.ts';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { OutcomePicker } from './OutcomePicker.tsx';
import { Changes, PLACE, subjectColumn } from './row-columns.tsx';

interface Line {
  plan: Planned;
  result: RowResult | undefined;
  known: Known;
}

const KINDS: readonly Known[] = ['done', 'partly', 'failed', 'unsure', 'left'];
const WORDS: Record<Known, { label: string; tone: Tone }> = {
  done: { label: 'Done', tone: 'ok' },
  partly: { label: 'In part', tone: 'warn' },
  failed: { label: 'Failed', tone: 'bad' },
  unsure: { label: 'No answer', tone: 'warn' },
  left: { label: 'Not yet', tone: 'neutral' },
};
const ASSUMED = 'No answer came. It was found as the row says, and taken for the work of this import.';
const UNSURE =
  'It was sent and no answer came. Continue looks whether it is there first: nothing is made twice.';

/** What there is to say of a row beside what it changes. */
function wordsOf({ known, result }: Line): string | undefined {
  if (known === 'unsure') return UNSURE;
  if (result?.assumed) return ASSUMED;
  if (result?.why === undefined) return undefined;
  return `${result.done.length > 0 ? `${result.done.join(', ')} done. ` : ''}${result.why}`;
}

const columnsOf = (subject: string, labels: Labels): readonly Column<Line>[] => [
  subjectColumn(subject),
  PLACE,
  {
    id: 'result',
    header: 'Result',
    width: 100,
    small: 'aside',
    cell: ({ known }) => <Badge tone={WORDS[known].tone}>{WORDS[known].label}</Badge>,
  },
  {
    id: 'why',
    header: 'What happened',
    minWidth: 360,
    small: 'line',
    cell(line) {
      const words = wordsOf(line);
      if (words === undefined) return <Changes changes={line.plan.changes} labels={labels} />;
      const isFault = isThrough(line.result) && line.result?.result !== 'done';
      return (
        <span className={isFault ? 'import-fault' : 'import-so'} title={words}>
          {words}
        </span>
      );
    },
  },
];
const rowOf = ({ plan }: Line) => plan.row;
const nameOf = ({ plan }: Line) => plan.name || plan.detail || `Row ${plan.row}`;

const TITLES = {
  running: 'Importing',
  stopped: 'The import is paused',
  done: 'Imported',
  failed: 'Imported, but not all',
};

interface RunningProps {
  run: ImportRun;
  /** The heading of the page, and of the column that says what a row is about. */
  title: string;
  subject: string;
  onAgain: (file: File) => void;
}

/** An import on its way or at its end, row by row. */
export function Running({ run, title, subject, onAgain }: RunningProps) {
  const { about, state, rows, trouble, fileName, sheet } = run;
  const from = `${fileName}${sheet === undefined ? '' : `, sheet “${sheet}”`}`;
  const columns = useMemo(() => columnsOf(subject, about.labels), [subject, about.labels]);
  const [shown, setShown] = useState<Known | 'all'>('all');
  const counts = tally(run);
  const lines = useMemo(
    () =>
      run.rows
        .map((plan) => ({ plan, result: run.results.get(plan.row), known: knownOf(run, plan.row) }))
        .filter(({ known }) => shown === 'all' || known === shown),
    [run, shown],
  );
  const failed = counts.through - counts.done;
  const again = () => {
    const file = failedFile(run);
    closeImport(run);
    onAgain(file);
  };
  return (
    <Page
      fill
      title={title}
      breadcrumbs={<Trail />}
      meta={`${TITLES[state]}: ${count(counts.through)} of ${counted(rows.length, ...about.words)} from ${from}`}
      actions={<Actions {...{ run, failed }} onAgain={again} />}
    >
      {state === 'running' && (
        <progress
          className="import-progress"
          aria-label="Import"
          value={counts.through / rows.length}
          max={1}
        />
      )}
      {trouble !== undefined && (
        <Banner tone="warn" title={trouble}>
          What was not sent is kept. Continue when the service answers again.
        </Banner>
      )}
      {state === 'stopped' && trouble === undefined && (
        <Banner
          tone="info"
          title={`${counted(rows.length - counts.through, 'row is', 'rows are')} still to be sent`}
        >
          They are kept in this browser, also when the page is closed. What the service has confirmed is not
          sent again{counts.unsure > 0 && '; what was sent without an answer is looked for first'}.
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
        columns={columns}
        rows={lines}
        rowId={rowOf}
        rowLabel={nameOf}
        empty={<EmptyState title="No such rows">No row has this result.</EmptyState>}
      />
    </Page>
  );
}

async function discard(run: ImportRun): Promise<void> {
  const left = counted(run.rows.length - tally(run).through, 'row', 'rows');
  const agreed = await confirm({
    title: `Discard ${left}?`,
    body: 'They are not sent. What was done stays; the report of it stays in the tray.',
    action: `Discard ${left}`,
    danger: true,
  });
  if (agreed) closeImport(run);
}

interface ActionsProps {
  run: ImportRun;
  failed: number;
  onAgain: () => void;
}

function Actions({ run, failed, onAgain }: ActionsProps) {
  const { state, pause, goOn } = run;
  if (state === 'running') return <Button onClick={pause}>Pause</Button>;
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
          <Button
            icon={RotateCcw}
            disabledReason={state === 'stopped' ? 'Continue or discard what is left first' : undefined}
            onClick={onAgain}
          >
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
        <Button variant="primary" onClick={() => closeImport(run)}>
          Import another file
        </Button>
      )}
    </>
  );
}
