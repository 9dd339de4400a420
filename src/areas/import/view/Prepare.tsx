import { useQueryClient } from '@tanstack/react-query';
import { useState, Suspense, useMemo } from 'react';
import type { ReactNode } from 'react';
import { Download, ListCollapse } from 'lucide-react';
import { toServiceError } from '../../../api/errors.ts';
import { holderOf } from '../../../api/session-query.ts';
import { useSession } from '../../../api/session.ts';
import { counted } from '../../../lib/numbers.ts';
import { Trail } from '../../../ui/layout/Trail.tsx';
import { useUnsavedGuard } from '../../../ui/form/unsaved.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { toast } from '../../../ui/feedback/toast.ts';
import { Page } from '../../../ui/layout/Page.tsx';
import { startImport } from '../job.ts';
import type { About } from '../keep.ts';
import { rowsToSend, plannedRows } from '../planned-rows.ts';
import { FileCard } from './FileCard.tsx';
import type { FileSession, Preparation, Prepared } from './use-preparation.ts';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { FailureBanner } from '../../../ui/feedback/FailureBanner.tsx';
import { later } from '../../../ui/later.ts';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { OUTCOMES } from '../plan.ts';
import type { Counts, Outcome, Planned } from '../plan.ts';
import { saveProblems } from '../report.ts';
import { OutcomePicker } from './OutcomePicker.tsx';
import { OUTCOME_WORDS, planColumns } from './row-columns.tsx';

interface ChooseFileProps<Session extends FileSession, Setup> {
  preparation: Preparation<Session, Setup>;
  title: string;
  meta: string;
  /** What a row is: "One person". */
  row: string;
  actions?: ReactNode;
}

/** The page before a file is there. */
export function ChooseFile<Session extends FileSession, Setup>(props: ChooseFileProps<Session, Setup>) {
  const { preparation, title, meta, row, actions } = props;
  const { stage, open } = preparation;
  return (
    <Page title={title} breadcrumbs={<Trail />} meta={meta}>
      <FileCard
        onFile={(file) => void open(file)}
        {...{ row, actions }}
        fault={stage.at === 'empty' ? stage.fault : undefined}
        reading={stage.at === 'reading' ? stage : undefined}
      />
    </Page>
  );
}

interface ReadyProps {
  prepared: Prepared<FileSession, unknown>;
  onGiveUp: () => void;
  title: string;
  about: About;
  subject: string;
  check: Check;
  /** Why nothing can be checked yet. */
  blocked?: ReactNode;
  busy?: string | undefined;
  /** The second step. */
  children: ReactNode;
}

/** The page of a file that was read: its columns, and what would become of its rows. */
export function Ready(props: ReadyProps) {
  const { prepared, onGiveUp, title, about, check, blocked, children } = props;
  const client = useQueryClient();
  const holder = holderOf(useSession());
  useUnsavedGuard(true);
  const [starting, setStarting] = useState(false);
  const { data: counts, isPlaceholderData } = check;
  const ready =
    counts && !isPlaceholderData && blocked === undefined ? counts.create + counts.update : undefined;

  const start = async (number: number) => {
    setStarting(true);
    const { session, name: fileName, file } = prepared;
    const { headings, source } = file;
    const sheet = source.kind === 'workbook' ? source.sheets[source.sheet]?.name : undefined;
    try {
      const rows = await rowsToSend(session.desk, number);
      await startImport(client, { id: crypto.randomUUID(), holder, about, fileName, sheet, headings, rows });
      onGiveUp();
    } catch (thrown) {
      const { message: description } = toServiceError(thrown);
      toast({ title: 'The import could not begin', description, tone: 'bad' });
      setStarting(false);
    }
  };
  const again = prepared.again ? 'The file is being read again' : undefined;
  const waiting = ready === undefined ? 'The rows are not checked yet' : undefined;
  const nothing = ready === 0 ? 'No row of the file would change anything' : undefined;
  return (
    <Page
      title={title}
      breadcrumbs={<Trail />}
      meta={
        counts &&
        counts.cannot > 0 &&
        `${counted(counts.cannot, 'row', 'rows')} cannot be imported and would be left out`
      }
      actions={
        <Button
          variant="primary"
          pending={starting}
          disabledReason={again ?? waiting ?? nothing}
          onClick={() => void start(ready ?? 0)}
        >
          {ready === undefined || ready === 0 ? 'Import' : `Import ${counted(ready, ...about.words)}`}
        </Button>
      }
    >
      {children}
      <h2 className="import-step">3. What would happen</h2>
      <Preview {...props} />
    </Page>
  );
}

const RowDetails = later(() => import('./RowDetails.tsx'));

const rowOf = ({ row }: Planned) => row;
const nameOf = ({ row, name, detail }: Planned) => name || detail || `Row ${row}`;

/** The answer to what would become of the rows. */
interface Check {
  data: Counts | undefined;
  error: unknown;
  isFetching: boolean;
  /** The last answer stays in view until the next is there: it says nothing about the columns as they are now. */
  isPlaceholderData: boolean;
  dataUpdatedAt: number;
}

interface PreviewProps {
  prepared: Prepared<FileSession, unknown>;
  about: About;
  subject: string;
  check: Check;
  /** Why nothing can be checked yet. */
  blocked?: ReactNode;
  /** What is being done while one waits. */
  busy?: string | undefined;
}

/** The third step: what would become of every row. */
function Preview({ prepared, about, subject, check, blocked, busy }: PreviewProps) {
  const { data: counts, error, isFetching, isPlaceholderData } = check;
  if (blocked !== undefined) return blocked;
  if (error !== null && error !== undefined) return <FailureBanner failure={toServiceError(error)} />;
  if (!counts)
    return isFetching ? (
      <output>{busy ?? `Checking ${counted(prepared.file.rows, 'row', 'rows')}…`}</output>
    ) : null;
  return (
    <Rows {...{ prepared, about, subject, counts }} stale={isPlaceholderData} at={check.dataUpdatedAt} />
  );
}

interface RowsProps extends Pick<PreviewProps, 'prepared' | 'about' | 'subject'> {
  counts: Counts;
  stale: boolean;
  /** When the counts were made: rows of another check are others. */
  at: number;
}

function Rows({ prepared: { session, name }, about, subject, counts, stale, at }: RowsProps) {
  const [shown, setShown] = useState<Outcome | 'all'>('all');
  const [opened, setOpened] = useState<Planned>();
  const { desk } = session;
  const total = OUTCOMES.reduce((sum, outcome) => sum + counts[outcome], 0);
  const columns = useMemo(() => planColumns(subject, about.labels), [subject, about.labels]);
  const rows = useMemo(
    () =>
      at > 0
        ? plannedRows(desk, shown === 'all' ? [] : [shown], shown === 'all' ? total : counts[shown])
        : [],
    [desk, shown, total, counts, at],
  );
  return (
    <>
      <div className="import-bar">
        <OutcomePicker
          label="Rows shown"
          value={shown}
          onChange={setShown}
          options={[
            { value: 'all', label: total === 1 ? 'row' : 'rows', count: total, tone: 'neutral' },
            ...OUTCOMES.map((outcome) => ({
              value: outcome,
              count: counts[outcome],
              ...OUTCOME_WORDS[outcome],
            })),
          ]}
        />
        {counts.cannot > 0 && (
          <Button icon={Download} onClick={() => void saveProblems(desk, name, about.labels)}>
            Download the problems
          </Button>
        )}
      </div>
      <DataTable
        label="Rows of the file"
        columns={columns}
        rows={rows}
        rowId={rowOf}
        rowLabel={nameOf}
        rowMenu={(plan) => [{ label: 'Show in full', icon: ListCollapse, onSelect: () => setOpened(plan) }]}
        refetching={stale}
        empty={<EmptyState title="No such rows">Nothing in the file has this outcome.</EmptyState>}
      />
      <Suspense>
        {opened && <RowDetails plan={opened} about={about} onClose={() => setOpened(undefined)} />}
      </Suspense>
    </>
  );
}
