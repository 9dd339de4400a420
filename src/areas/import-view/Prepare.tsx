import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Download, ListCollapse } from 'lucide-react';
import { useState, Suspense, useMemo } from 'react';
import type { ReactNode } from 'react';
import type { Job } from '../../../contract/generated/types.gen.ts';
import { toServiceError, UnknownOutcomeError } from '../../api/errors.ts';
import type { ServiceError } from '../../api/errors.ts';
import { formatFailedWrite } from '../../app/state/failed-write.ts';
import { OUTCOMES } from '../../files/import-plan/plan.ts';
import type { OutcomeCounts, RowOutcome, ImportRowPlan } from '../../files/import-plan/plan.ts';
import { LIMITS_TEXT } from '../../files/table/limits.ts';
import { pluralize } from '../../lib/numbers.ts';
import { Button } from '../../ui/button/Button.tsx';
import { useUnsavedGuard } from '../../ui/dialog/unsaved-work.ts';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { EmptyState } from '../../ui/feedback/EmptyState.tsx';
import { FailureBanner } from '../../ui/feedback/FailureBanner.tsx';
import { FileDrop } from '../../ui/form/FileDrop.tsx';
import { Breadcrumbs } from '../../ui/layout/Breadcrumbs.tsx';
import { Card, CardBody } from '../../ui/layout/Card.tsx';
import { Page } from '../../ui/layout/Page.tsx';
import { lazyWithPreload } from '../../ui/lazy.tsx';
import { DataTable } from '../../ui/table/DataTable.tsx';
import { toast } from '../../ui/toast.ts';
import type { ImportDescription, ImportItem } from '../import/index.ts';
import { uploadPlan, loadConfirmedPlans, createPlannedRows, saveProblems } from '../import/index.ts';
import { showStartedJob } from '../jobs/index.ts';
import { OutcomePicker, OUTCOME_LABELS, buildPlanColumns } from './row-columns.tsx';
import type { FileSession, Preparation, Prepared } from './use-preparation.ts';
import './import.css';

interface ChooseFileProps<Session extends FileSession, Setup> {
  preparation: Preparation<Session, Setup>;
  title: string;
  meta: string;
  /** Noun phrase for one row: "One person". */
  row: string;
  actions?: ReactNode;
}

/** Page for choosing a file. */
export function ChooseFile<Session extends FileSession, Setup>(props: ChooseFileProps<Session, Setup>) {
  const { preparation, title, meta, row, actions } = props;
  const { stage, open } = preparation;
  return (
    <Page title={title} breadcrumbs={<Breadcrumbs />} meta={meta}>
      <FileCard
        onFile={(file) => void open(file)}
        {...{ row, actions }}
        error={stage.status === 'empty' ? stage.error : undefined}
        reading={stage.status === 'reading' ? stage : undefined}
      />
    </Page>
  );
}

/** File whose rows a job imports. */
interface ImportFile {
  fileName: string;
  /** Worksheet of a workbook. */
  sheet?: string | undefined;
}

/** The job that imports rows of one kind. */
export interface ImportTarget {
  kind: Job['kind'];
  /** Parameters of the job besides the file: an upload of a job with other ones is not continued. */
  parameters?: Readonly<Record<string, unknown>>;
  /** Upload of the planned rows. It may first create what the rows need. */
  createUpload: (plans: readonly ImportRowPlan[]) => ImportUpload | Promise<ImportUpload>;
}

/** Items of a job, and the call that starts the job without them. */
export interface ImportUpload {
  items: readonly ImportItem[];
  start: (file: ImportFile) => Promise<Job>;
  /** Parameters that were not known before; they replace those of the target. */
  parameters?: ImportTarget['parameters'];
}

interface PrepareImportProps {
  prepared: Prepared<FileSession, unknown>;
  target: ImportTarget;
  title: string;
  description: ImportDescription;
  subject: string;
  check: Check;
  /** Shown instead of the rows while nothing can be checked. */
  blockedBy?: ReactNode;
  busy?: string | undefined;
  /** What the import changes besides the rows, shown above them. */
  effect?: ReactNode;
  /** What the import creates besides rows, for its button: "2 fields". */
  creates?: string | undefined;
  /** Second step: columns. */
  children: ReactNode;
}

type StartProps = Pick<PrepareImportProps, 'prepared' | 'target'>;

/** Sends the confirmed rows to the service and opens the page of their job. */
function useStart({ prepared, target }: StartProps) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [upload, setUpload] = useState<{ share?: number; error?: ServiceError }>();

  async function uploadRows(
    plans: readonly ImportRowPlan[],
    { kind, createUpload, ...known }: ImportTarget,
    file: ImportFile,
  ) {
    const { items, start: startJob, parameters = known.parameters } = await createUpload(plans);
    const job = await uploadPlan({
      kind,
      identifiedBy: { fileName: file.fileName, sheet: file.sheet, ...parameters },
      items,
      start: () => startJob(file),
      onProgress: (share) => setUpload({ share }),
      onChanged: () =>
        toast({
          title: `${file.fileName} has changed since its upload was interrupted`,
          description: 'The upload starts again.',
          tone: 'info',
        }),
    });
    showStartedJob(client, job);
    await navigate({ to: '/jobs/$jobId', params: { jobId: job.id }, ignoreBlocker: true });
  }

  async function start(rowCount: number): Promise<void> {
    const { session, name: fileName, file } = prepared;
    const { source } = file;
    const sheet = source.kind === 'workbook' ? source.sheets[source.sheet]?.name : undefined;
    setUpload({ share: 0 });
    try {
      const plans = await loadConfirmedPlans(session.client, rowCount);
      await uploadRows(plans, target, { fileName, sheet });
    } catch (thrown) {
      setUpload({ error: toServiceError(thrown) });
    }
  }
  return { ...upload, isStarting: upload?.share !== undefined, start };
}

/** Page of a file that was read: columns, planned rows, and the button that starts the import. */
export function PrepareImport(props: PrepareImportProps) {
  const { prepared, title, description, check, blockedBy, creates, children } = props;
  useUnsavedGuard(true);
  const { share, error, isStarting, start } = useStart(props);
  const { data: counts, isPlaceholderData } = check;
  const readyCount =
    counts && !isPlaceholderData && blockedBy === undefined ? counts.create + counts.update : undefined;

  const again = prepared.rereading ? 'The file is being read again' : undefined;
  const blocked = blockedBy === undefined ? undefined : 'Complete the columns first';
  const waiting = readyCount === undefined ? 'The rows are still being checked' : undefined;
  const nothing = readyCount === 0 ? 'No row changes anything' : undefined;
  return (
    <Page
      title={title}
      breadcrumbs={<Breadcrumbs />}
      meta={
        counts &&
        counts.cannot > 0 &&
        `${pluralize(counts.cannot, 'row', 'rows')} cannot be imported and will be left out`
      }
      actions={
        <Button
          variant="primary"
          pending={isStarting}
          disabledReason={again ?? blocked ?? waiting ?? nothing}
          onClick={() => void start(readyCount ?? 0)}
        >
          {readyCount === undefined || readyCount === 0
            ? 'Import'
            : `${creates === undefined ? 'Import' : `Create ${creates} and import`} ${pluralize(readyCount, ...description.nouns)}`}
        </Button>
      }
    >
      {isStarting && <progress className="import-progress" aria-label="Upload" value={share} max={1} />}
      {error !== undefined && (
        <Banner tone="bad" title={`${formatFailedWrite('The import', 'started', error)}: ${error.message}`}>
          {error instanceof UnknownOutcomeError
            ? 'Import again to continue: no row is imported twice.'
            : 'Nothing has been imported. Import again to continue where the upload stopped.'}
        </Banner>
      )}
      {/* The upload has the rows as they were when it started. */}
      <div className="import-setup" inert={isStarting}>
        {children}
      </div>
      <h2 className="import-step">3. Preview</h2>
      <Preview {...props} />
    </Page>
  );
}

const RowDetails = lazyWithPreload(() => import('./RowDetails.tsx'));

const getRowNumber = ({ row }: ImportRowPlan) => row;
const getRowName = ({ row, name, detail }: ImportRowPlan) => name || detail || `Row ${row}`;

/** Query state of the check of all rows. */
interface Check {
  data: OutcomeCounts | undefined;
  error: unknown;
  isFetching: boolean;
  /** Counts of the previous check, shown until the next one is done. */
  isPlaceholderData: boolean;
  dataUpdatedAt: number;
}

interface PreviewProps {
  prepared: Prepared<FileSession, unknown>;
  description: ImportDescription;
  subject: string;
  check: Check;
  /** Shown instead of the rows while nothing can be checked. */
  blockedBy?: ReactNode;
  /** What the import changes besides the rows. */
  effect?: ReactNode;
  /** Text of the step in progress. */
  busy?: string | undefined;
}

/** Third step: the plan for each row. */
function Preview({ prepared, description, subject, check, blockedBy, effect, busy }: PreviewProps) {
  const { data: counts, error, isFetching, isPlaceholderData } = check;
  if (blockedBy !== undefined) return blockedBy;
  if (error !== null && error !== undefined) return <FailureBanner failure={toServiceError(error)} />;
  if (!counts)
    return isFetching ? (
      <output>{busy ?? `Checking ${pluralize(prepared.file.rows, 'row', 'rows')}…`}</output>
    ) : null;
  return (
    <>
      {effect}
      <Rows
        {...{ prepared, description, subject, counts }}
        isStale={isPlaceholderData}
        checkedAt={check.dataUpdatedAt}
      />
    </>
  );
}

interface RowsProps extends Pick<PreviewProps, 'prepared' | 'description' | 'subject'> {
  counts: OutcomeCounts;
  isStale: boolean;
  /** Timestamp of the check; a new check invalidates loaded rows. */
  checkedAt: number;
}

function Rows({ prepared: { session, name }, description, subject, counts, isStale, checkedAt }: RowsProps) {
  const [shownOutcome, setShownOutcome] = useState<RowOutcome | 'all'>('all');
  const [openedPlan, setOpenedPlan] = useState<ImportRowPlan>();
  const { client } = session;
  const total = OUTCOMES.reduce((sum, outcome) => sum + counts[outcome], 0);
  const columns = useMemo(() => buildPlanColumns(subject, description.labels), [subject, description.labels]);
  const rows = useMemo(
    () =>
      checkedAt > 0
        ? createPlannedRows(
            client,
            shownOutcome === 'all' ? [] : [shownOutcome],
            shownOutcome === 'all' ? total : counts[shownOutcome],
          )
        : [],
    [client, shownOutcome, total, counts, checkedAt],
  );
  return (
    <>
      <div className="import-bar">
        <OutcomePicker
          label="Rows shown"
          value={shownOutcome}
          onChange={setShownOutcome}
          options={[
            { value: 'all', label: total === 1 ? 'row' : 'rows', count: total, tone: 'neutral' },
            ...OUTCOMES.map((outcome) => ({
              value: outcome,
              count: counts[outcome],
              ...OUTCOME_LABELS[outcome],
              ...(outcome === 'cannot' && { label: counts.cannot === 1 ? 'error' : 'errors' }),
            })),
          ]}
        />
        {counts.cannot > 0 && (
          <Button icon={Download} onClick={() => void saveProblems(client, name, description.labels)}>
            Download errors
          </Button>
        )}
      </div>
      <DataTable
        label="Rows of the file"
        columns={columns}
        rows={rows}
        rowId={getRowNumber}
        rowLabel={getRowName}
        rowMenu={(plan) => [
          { label: 'Show in full', icon: ListCollapse, onSelect: () => setOpenedPlan(plan) },
        ]}
        refetching={isStale}
        empty={<EmptyState title="No such rows">No row of the file has this outcome.</EmptyState>}
      />
      <Suspense>
        {openedPlan && (
          <RowDetails plan={openedPlan} description={description} onClose={() => setOpenedPlan(undefined)} />
        )}
      </Suspense>
    </>
  );
}

interface FileCardProps {
  onFile: (file: File) => void;
  /** Noun phrase for one row: "One person". */
  row: string;
  /** Actions for users without a file, such as a template. */
  actions?: ReactNode;
  error: string | undefined;
  /** Name and progress (0 to 1) while a file is read. */
  reading: { name: string; share: number } | undefined;
}

/** First step: choose, drop or paste a file. */
function FileCard({ onFile, row, actions, error, reading }: FileCardProps) {
  // State of the card, so that faulty rows can be corrected where they were pasted.
  const [pastedText, setPastedText] = useState<string>();
  return (
    <Card title="1. File" actions={actions}>
      <CardBody>
        <div className="import-file">
          {error !== undefined && <Banner tone="bad" title={error} />}
          <FileDrop
            what="a CSV, XLSX or JSON file"
            accept=".csv,.tsv,.txt,.xlsx,.json,text/csv,text/tab-separated-values,text/plain,application/json"
            // The field is focused again because the last file could not be read.
            takesFocus={error !== undefined}
            hint={
              !reading && (
                <>
                  {row} per row, below a header row. {LIMITS_TEXT} Nothing changes before you have reviewed
                  the result.
                </>
              )
            }
            reading={reading && <Reading {...reading} />}
            onFiles={([file]) => file && onFile(file)}
          />
          {!reading && <Paste text={pastedText} onText={setPastedText} onFile={onFile} />}
        </div>
      </CardBody>
    </Card>
  );
}

function Reading({ name, share }: { name: string; share: number }) {
  return (
    <>
      <p>Reading {name}</p>
      <progress aria-label={`Reading ${name}`} value={share} max={1} />
    </>
  );
}

interface PasteProps extends Pick<FileCardProps, 'onFile'> {
  /** Undefined until pasting is chosen. */
  text: string | undefined;
  onText: (text: string) => void;
}

function Paste({ text, onText, onFile }: PasteProps) {
  if (text === undefined) {
    return (
      <Button variant="quiet" size="small" onClick={() => onText('')}>
        Paste rows instead
      </Button>
    );
  }
  const disabledReason = text.trim() === '' ? 'Paste the rows with their heading first' : undefined;
  return (
    <div className="import-paste">
      <label className="field">
        <span className="field-label">Rows with their heading</span>
        <textarea
          className="input mono"
          rows={6}
          value={text}
          spellCheck={false}
          // It was opened to paste.
          // oxlint-disable-next-line jsx-a11y/no-autofocus
          autoFocus
          onChange={({ target }) => onText(target.value)}
        />
      </label>
      <Button
        disabledReason={disabledReason}
        onClick={() => onFile(new File([text], 'pasted.csv', { type: 'text/csv' }))}
      >
        Read the pasted rows
      </Button>
    </div>
  );
}
