import { Download, ListCollapse } from 'lucide-react';
import { Suspense, useMemo, useState } from 'react';
import { toServiceError } from '../../../../api/errors.ts';
import { useDirectory } from '../../../../directory/directory.ts';
import type { Counts } from '../../../../import/desk.ts';
import { OUTCOMES } from '../../../../import/plan.ts';
import type { Outcome, Planned } from '../../../../import/plan.ts';
import { plannedRows } from '../../../../import/planned-rows.ts';
import { saveProblems } from '../../../../import/report.ts';
import { count, counted } from '../../../../lib/numbers.ts';
import { Button } from '../../../../ui/button/Button.tsx';
import { Banner } from '../../../../ui/feedback/Banner.tsx';
import { FailureBanner } from '../../../../ui/feedback/FailureBanner.tsx';
import { EmptyState } from '../../../../ui/feedback/EmptyState.tsx';
import { later } from '../../../../ui/later.ts';
import { DataTable } from '../../../../ui/table/DataTable.tsx';
import { OutcomePicker } from './-OutcomePicker.tsx';
import { OUTCOME_WORDS, PLAN_COLUMNS } from './-row-columns.tsx';
import { canTellPeople, useCheck } from './-use-preparation.ts';
import type { Prepared } from './-use-preparation.ts';

const RowDetails = later(() => import('./-RowDetails.tsx'));

const rowOf = ({ row }: Planned) => row;
const nameOf = ({ row, name, email }: Planned) => name || email || `Row ${row}`;

interface PreviewProps {
  prepared: Prepared;
  check: ReturnType<typeof useCheck>;
}

/** The third step: what would become of every row. */
export function Preview({ prepared, check }: PreviewProps) {
  const { complete, size = 0 } = useDirectory();
  const { data: counts, error, isFetching, isPlaceholderData } = check;
  if (!complete) {
    return (
      <Banner tone="info" title="Everybody of this site is still being read">
        {count(size)} people so far. Then the rows are compared with them.
      </Banner>
    );
  }
  if (error) return <FailureBanner failure={toServiceError(error)} />;
  if (!counts || !canTellPeople(prepared.mapping))
    return isFetching ? <output>Checking {counted(prepared.file.rows, 'row', 'rows')}…</output> : null;
  return <Rows {...{ prepared, counts }} stale={isPlaceholderData} at={check.dataUpdatedAt} />;
}

interface RowsProps {
  prepared: Prepared;
  counts: Counts;
  stale: boolean;
  /** When the counts were made: rows of another check are others. */
  at: number;
}

function Rows({ prepared: { session, name }, counts, stale, at }: RowsProps) {
  const [shown, setShown] = useState<Outcome | 'all'>('all');
  const [opened, setOpened] = useState<Planned>();
  const total = OUTCOMES.reduce((sum, outcome) => sum + counts[outcome], 0);
  const rows = useMemo(
    () =>
      at > 0
        ? plannedRows(session, shown === 'all' ? [] : [shown], shown === 'all' ? total : counts[shown])
        : [],
    [session, shown, total, counts, at],
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
          <Button icon={Download} onClick={() => void saveProblems(session, name)}>
            Download the problems
          </Button>
        )}
      </div>
      <DataTable
        label="Rows of the file"
        columns={PLAN_COLUMNS}
        rows={rows}
        rowId={rowOf}
        rowLabel={nameOf}
        rowMenu={(plan) => [{ label: 'Show in full', icon: ListCollapse, onSelect: () => setOpened(plan) }]}
        refetching={stale}
        empty={<EmptyState title="No such rows">Nothing in the file has this outcome.</EmptyState>}
      />
      <Suspense>{opened && <RowDetails plan={opened} onClose={() => setOpened(undefined)} />}</Suspense>
    </>
  );
}
