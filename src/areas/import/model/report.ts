import type { Remote } from 'comlink';
import { formatCsv } from '../../../../contract/rules/tables/csv.ts';
import { saveFile } from '../../../files/download.ts';
import { formatRetryCsv } from '../../../files/import-plan/file-columns.ts';
import type { PlanStore } from '../../../files/import-plan/plan-store.ts';
import type { FieldLabels, ImportRowPlan } from '../../../files/import-plan/plan.ts';
import { formatFieldChange } from '../../../files/import-plan/plan.ts';
import { isFinished } from './job-store.ts';
import type { RowResult, ImportDescription } from './job-store.ts';
import type { ImportRun, RowStatus } from './run.ts';
import { getRowStatus } from './run.ts';

const getReportHeader = ({ detailLabel }: ImportDescription): string[] => [
  'Row',
  'Result',
  'Id',
  ...(detailLabel === undefined ? [] : [detailLabel]),
  'Name',
  'Would change',
  'Done',
  'Reason',
  'Request id',
];
const STATUS_LABELS: Record<RowStatus, string> = {
  done: 'Done',
  partly: 'In part',
  failed: 'Failed',
  uncertain: 'No answer',
  pending: 'Pending',
};
const ASSUMED_REASON = 'No answer came; found with these values';

const formatFileName = (name: string, what: string): string => `${name.replace(/\.[^.]*$/, '')}-${what}.csv`;

/** Saves a CSV report with one line per row. */
export function saveReport(run: ImportRun): void {
  const { fileName, rows, results, description } = run;
  const lines = rows.map((plan) =>
    toReportRow(plan, description, getRowStatus(run, plan.row), results.get(plan.row)),
  );
  saveFile(formatFileName(fileName, 'report'), formatCsv([getReportHeader(description), ...lines]));
}

function toReportRow(
  { row, name, detail, id, changes }: ImportRowPlan,
  description: ImportDescription,
  status: RowStatus,
  result?: RowResult,
): (string | number)[] {
  const { done = [], why = '', requestId = '' } = result ?? {};
  return [
    row,
    STATUS_LABELS[status],
    result?.id ?? id ?? '',
    ...(description.detailLabel === undefined ? [] : [detail]),
    name,
    changes.map((change) => formatFieldChange(change, description.labels)).join('; '),
    done.join(', '),
    result?.isAssumed ? ASSUMED_REASON : why,
    requestId,
  ];
}

/** CSV of rows that failed, in whole or in part, as in the file; it can be imported again. */
export function buildFailedFile({ fileName, headings, cells, results, description }: ImportRun): File {
  const failed = [...results]
    .filter(([, result]) => isFinished(result) && result.result !== 'done')
    .map(([row, { why = '', id }]) => ({ row, cells: cells.get(row) ?? [], note: why, id }))
    .toSorted((a, b) => a.row - b.row);
  return new File(
    [formatRetryCsv(headings, failed, description.idHeading)],
    formatFileName(fileName, 'failed'),
    {
      type: 'text/csv',
    },
  );
}

export function saveFailed(run: ImportRun): void {
  const file = buildFailedFile(run);
  saveFile(file.name, file);
}

/** Saves a CSV of rows that cannot be imported, with their problems. */
export async function saveProblems(
  client: Remote<PlanStore>,
  fileName: string,
  labels: FieldLabels,
): Promise<void> {
  saveFile(formatFileName(fileName, 'problems'), await client.formatProblems(labels));
}
