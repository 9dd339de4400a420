import { saveFile } from '../lib/save-file.ts';
import { toCsv } from '../lib/csv.ts';
import { rowsAgain } from './again.ts';
import type { ImportRun } from './job.ts';
import type { RowResult } from './keep.ts';
import type { About } from './keep.ts';
import type { Labels, Planned } from './plan.ts';
import { changeWords } from './row-words.ts';
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
const WORDS: Record<RowResult['result'], string> = { done: 'Done', partly: 'In part', failed: 'Failed' };

const beside = (name: string, what: string): string => `${name.replace(/\.[^.]*$/, '')}-${what}.csv`;

/** What came of each row, as a file. */
export function saveReport({ fileName, rows, results, about }: ImportRun): void {
  const lines = rows.map((row) => line(row, about, results.get(row.row)));
  saveFile(beside(fileName, 'report'), toCsv([headOf(about), ...lines]));
}

function line(
  { row, name, detail, id, changes }: Planned,
  about: About,
  result?: RowResult,
): (string | number)[] {
  const { done = [], why = '', requestId = '' } = result ?? {};
  return [
    row,
    result ? WORDS[result.result] : 'Not yet',
    result?.id ?? id ?? '',
    ...(about.detail === undefined ? [] : [detail]),
    name,
    changes.map((change) => changeWords(change, about.labels)).join('; '),
    done.join(', '),
    why,
    requestId,
  ];
}

/** The rows that failed, in whole or in part, as they stood in the file: it can be imported again. */
export function failedFile({ fileName, headings, cells, results }: ImportRun): File {
  const failed = [...results]
    .filter(([, { result }]) => result !== 'done')
    .map(([row, { why = '' }]) => ({ row, cells: cells.get(row) ?? [], note: why }))
    .toSorted((a, b) => a.row - b.row);
  return new File([rowsAgain(headings, failed)], beside(fileName, 'failed'), { type: 'text/csv' });
}

export function saveFailed(run: ImportRun): void {
  const file = failedFile(run);
  saveFile(file.name, file);
}

/** The rows that cannot be imported, each with what is wrong, in the form of the file. */
export async function saveProblems(desk: Remote<Board>, fileName: string, labels: Labels): Promise<void> {
  saveFile(beside(fileName, 'problems'), await desk.problems(labels));
}
