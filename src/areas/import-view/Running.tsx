import { Download, RotateCcw } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { FieldLabels, ImportRowPlan } from '../../files/import-plan/plan.ts';
import { formatNumber, pluralize } from '../../lib/numbers.ts';
import { Button } from '../../ui/button/Button.tsx';
import { confirm } from '../../ui/dialog/confirm.ts';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { EmptyState } from '../../ui/feedback/EmptyState.tsx';
import { Badge } from '../../ui/layout/Badge.tsx';
import type { Tone } from '../../ui/layout/Badge.tsx';
import { Breadcrumbs } from '../../ui/layout/Breadcrumbs.tsx';
import { Page } from '../../ui/layout/Page.tsx';
import type { Column } from '../../ui/table/columns.ts';
import { DataTable } from '../../ui/table/DataTable.tsx';
import {
  isFinished,
  closeImport,
  buildFailedFile,
  saveFailed,
  saveReport,
  getRowStatus,
  countRows,
} from '../import/index.ts';
import type { RowResult, ImportRun, RowStatus } from '../import/index.ts';
import { OutcomePicker, Changes, ROW_NUMBER_COLUMN, buildSubjectColumn } from './row-columns.tsx';
import './import.css';

interface ResultRow {
  plan: ImportRowPlan;
  result: RowResult | undefined;
  status: RowStatus;
}

const STATUSES: readonly RowStatus[] = ['done', 'partly', 'failed', 'uncertain', 'pending'];
const STATUS_LABELS: Record<RowStatus, { label: string; tone: Tone }> = {
  done: { label: 'Done', tone: 'ok' },
  partly: { label: 'In part', tone: 'warn' },
  failed: { label: 'Failed', tone: 'bad' },
  uncertain: { label: 'No answer', tone: 'warn' },
  pending: { label: 'Pending', tone: 'neutral' },
};
const ASSUMED_TEXT = 'No answer came. The item was found with these values and counts as imported.';
const UNCERTAIN_TEXT =
  'It was sent without an answer. Continue checks whether it was stored first, so nothing is created twice.';

/** Text for the result of a row, besides its changes. */
function formatResult({ status, result }: ResultRow): string | undefined {
  if (status === 'uncertain') return UNCERTAIN_TEXT;
  if (result?.isAssumed) return ASSUMED_TEXT;
  if (result?.why === undefined) return undefined;
  return `${result.done.length > 0 ? `${result.done.join(', ')} done. ` : ''}${result.why}`;
}

const buildColumns = (subject: string, labels: FieldLabels): readonly Column<ResultRow>[] => [
  buildSubjectColumn(subject),
  ROW_NUMBER_COLUMN,
  {
    id: 'result',
    header: 'Result',
    width: 100,
    small: 'aside',
    cell: ({ status }) => <Badge tone={STATUS_LABELS[status].tone}>{STATUS_LABELS[status].label}</Badge>,
  },
  {
    id: 'why',
    header: 'What happened',
    minWidth: 360,
    small: 'line',
    cell(line) {
      const words = formatResult(line);
      if (words === undefined) return <Changes changes={line.plan.changes} labels={labels} />;
      const isFault = isFinished(line.result) && line.result?.result !== 'done';
      return (
        <span className={isFault ? 'import-fault' : 'import-so'} title={words}>
          {words}
        </span>
      );
    },
  },
];
const getRowNumber = ({ plan }: ResultRow) => plan.row;
const getRowName = ({ plan }: ResultRow) => plan.name || plan.detail || `Row ${plan.row}`;

const TITLES = {
  running: 'Importing',
  stopped: 'The import is paused',
  done: 'Imported',
  failed: 'Imported with failures',
};

interface RunningProps {
  run: ImportRun;
  /** Title of the page and heading of the first column. */
  title: string;
  subject: string;
  onRetryFile: (file: File) => void;
}

/** Page of a running or ended import with the status of each row. */
export function Running({ run, title, subject, onRetryFile }: RunningProps) {
  const { description, state, rows, error, fileName, sheet } = run;
  const from = `${fileName}${sheet === undefined ? '' : `, sheet “${sheet}”`}`;
  const columns = useMemo(() => buildColumns(subject, description.labels), [subject, description.labels]);
  const [shownStatus, setShownStatus] = useState<RowStatus | 'all'>('all');
  const counts = countRows(run);
  const lines = useMemo(
    () =>
      run.rows
        .map((plan) => ({ plan, result: run.results.get(plan.row), status: getRowStatus(run, plan.row) }))
        .filter(({ status }) => shownStatus === 'all' || status === shownStatus),
    [run, shownStatus],
  );
  const failed = counts.finished - counts.done;
  const retryFailedRows = () => {
    const file = buildFailedFile(run);
    closeImport(run);
    onRetryFile(file);
  };
  return (
    <Page
      fill
      title={title}
      breadcrumbs={<Breadcrumbs />}
      meta={`${TITLES[state]}: ${formatNumber(counts.finished)} of ${pluralize(rows.length, ...description.nouns)} from ${from}`}
      actions={<Actions {...{ run, failed }} onRetry={retryFailedRows} />}
    >
      {state === 'running' && (
        <progress
          className="import-progress"
          aria-label="Import"
          value={counts.finished / rows.length}
          max={1}
        />
      )}
      {error !== undefined && (
        <Banner tone="warn" title={error}>
          Unsent rows are kept. Continue when the service is available again.
        </Banner>
      )}
      {state === 'stopped' && error === undefined && (
        <Banner
          tone="info"
          title={`${pluralize(rows.length - counts.finished, 'row is', 'rows are')} still to be sent`}
        >
          They are kept in this browser even if the page is closed. Confirmed rows are not sent again
          {counts.uncertain > 0 && '; rows sent without an answer are checked first'}.
        </Banner>
      )}
      <OutcomePicker
        label="Rows shown"
        value={shownStatus}
        onChange={setShownStatus}
        options={[
          { value: 'all', label: rows.length === 1 ? 'row' : 'rows', count: rows.length, tone: 'neutral' },
          ...STATUSES.map((kind) => ({ value: kind, count: counts[kind], ...STATUS_LABELS[kind] })),
        ]}
      />
      <DataTable
        label="Imported rows"
        columns={columns}
        rows={lines}
        rowId={getRowNumber}
        rowLabel={getRowName}
        empty={<EmptyState title="No such rows">No row has this result.</EmptyState>}
      />
    </Page>
  );
}

async function discard(run: ImportRun): Promise<void> {
  const remaining = pluralize(run.rows.length - countRows(run).finished, 'row', 'rows');
  const isConfirmed = await confirm({
    title: `Discard ${remaining}?`,
    body: 'They will not be sent. Completed rows stay, and the report remains in the job list.',
    action: `Discard ${remaining}`,
    danger: true,
  });
  if (isConfirmed) closeImport(run);
}

interface ActionsProps {
  run: ImportRun;
  failed: number;
  onRetry: () => void;
}

function Actions({ run, failed, onRetry }: ActionsProps) {
  const { state, pause, resume } = run;
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
            disabledReason={state === 'stopped' ? 'Continue or discard the remaining rows first' : undefined}
            onClick={onRetry}
          >
            Check the failed rows again
          </Button>
        </>
      )}
      {state === 'stopped' ? (
        <>
          <Button onClick={() => void discard(run)}>Discard the rest</Button>
          <Button variant="primary" onClick={resume}>
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
