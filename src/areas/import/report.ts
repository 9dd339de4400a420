import { saveFile } from '../../files/save-file.ts';
import { toCsv } from '../../files/csv.ts';
import { rowsAgain } from './again.ts';
import type { ImportRun } from './run.ts';
import { isThrough } from './keep.ts';
import type { RowResult } from './keep.ts';
import type { About } from './keep.ts';
import type { Labels, Planned } from './plan.ts';
import { changeWords } from './row-words.ts';
import { knownOf } from './tally.ts';
import type { Known } from './tally.ts';
import type { Board } from './board.ts';
import type { Remote } from 'comlink';

const headOf = ({ detail }: About): string[] => [
  'Row',
  'Result',
  'Id',
  ...(detail === undefined ? [] : [detail]),
  'Name',
  'Would change',
  'Done',
  'Reason',
  'Request id',
];
const WORDS: Record<Known, string> = {
  done: 'Done',
  partly: 'In part',
  failed: 'Failed',
  unsure: 'No answer',
  left: 'Not yet',
};
const ASSUMED = 'No answer came; found as the row says';

const beside = (name: string, what: string): string => `${name.replace(/\.[^.]*$/, '')}-${what}.csv`;

/** What came of each row, as a file. */
export function saveReport(run: ImportRun): void {
  const { fileName, rows, results, about } = run;
  const lines = rows.map((plan) => line(plan, about, knownOf(run, plan.row), results.get(plan.row)));
  saveFile(beside(fileName, 'report'), toCsv([headOf(about), ...lines]));
}

function line(
  { row, name, detail, id, changes }: Planned,
  about: About,
  known: Known,
  result?: RowResult,
): (string | number)[] {
  const { done = [], why = '', requestId = '' } = result ?? {};
  return [
    row,
    WORDS[known],
    result?.id ?? id ?? '',
    ...(about.detail === undefined ? [] : [detail]),
    name,
    changes.map((change) => changeWords(change, about.labels)).join('; '),
    done.join(', '),
    result?.assumed ? ASSUMED : why,
    requestId,
  ];
}

/** The rows that failed, in whole or in part, as they stood in the file: it can be imported again. */
export function failedFile({ fileName, headings, cells, results, about }: ImportRun): File {
  const failed = [...results]
    .filter(([, result]) => isThrough(result) && result.result !== 'done')
    .map(([row, { why = '', id }]) => ({ row, cells: cells.get(row) ?? [], note: why, id }))
    .toSorted((a, b) => a.row - b.row);
  return new File([rowsAgain(headings, failed, about.idHeading)], beside(fileName, 'failed'), {
    type: 'text/csv',
  });
}

export function saveFailed(run: ImportRun): void {
  const file = failedFile(run);
  saveFile(file.name, file);
}

/** The rows that cannot be imported, each with what is wrong, in the form of the file. */
export async function saveProblems(desk: Remote<Board>, fileName: string, labels: Labels): Promise<void> {
  saveFile(beside(fileName, 'problems'), await desk.problems(labels));
}
