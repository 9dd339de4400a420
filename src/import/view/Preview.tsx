import { Download, ListCollapse } from 'lucide-react';
import { Suspense, useMemo, useState } from 'react';
import type { ReactNode } from 'react';
import { toServiceError } from '../../api/errors.ts';
import { counted } from '../../lib/numbers.ts';
import { Button } from '../../ui/button/Button.tsx';
import { EmptyState } from '../../ui/feedback/EmptyState.tsx';
import { FailureBanner } from '../../ui/feedback/FailureBanner.tsx';
import { later } from '../../ui/later.ts';
import { DataTable } from '../../ui/table/DataTable.tsx';
import type { About } from '../keep.ts';
import { OUTCOMES } from '../plan.ts';
import type { Counts, Outcome, Planned } from '../plan.ts';
import { plannedRows } from '../planned-rows.ts';
import { saveProblems } from '../report.ts';
import { OutcomePicker } from './OutcomePicker.tsx';
import { OUTCOME_WORDS, planColumns } from './row-columns.tsx';
import type { FileSession, Prepared } from './use-preparation.ts';

const RowDetails = later(() => import('./RowDetails.tsx'));

const rowOf = ({ row }: Planned) => row;
const nameOf = ({ row, name, detail }: Planned) => name || detail || `Row ${row}`;

/** The answer to what would become of the rows. */
export interface Check {
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
export function Preview({ prepared, about, subject, check, blocked, busy }: PreviewProps) {
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
