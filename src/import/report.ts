import { saveFile } from '../lib/save-file.ts';
import { toCsv } from '../lib/csv.ts';
import { rowsAgain } from './again.ts';
import { HEADINGS } from './fields.ts';
import type { ImportRun } from './job.ts';
import type { RowResult } from './perform.ts';
import type { Planned } from './plan.ts';
import { changeWords } from './row-words.ts';
import type { ImportSession } from './session.ts';

const HEAD = ['Row', 'Result', 'Id', 'E-mail', 'Name', 'Would change', 'Done', 'Reason', 'Request id'];
const WORDS: Record<RowResult['result'], string> = { done: 'Done', partly: 'In part', failed: 'Failed' };

const beside = (name: string, what: string): string => `${name.replace(/\.[^.]*$/, '')}-${what}.csv`;

/** What came of each row, as a file. */
export function saveReport({ fileName, rows, results }: ImportRun): void {
  const lines = rows.map((row) => line(row, results.get(row.row)));
  saveFile(beside(fileName, 'report'), toCsv([HEAD, ...lines]));
}

function line({ row, name, email, userId, changes }: Planned, result?: RowResult): (string | number)[] {
  const { done = [], why = '', requestId = '' } = result ?? {};
  return [
    row,
    result ? WORDS[result.result] : 'Not yet',
    result?.userId ?? userId ?? '',
    email,
    name,
    changes.map(changeWords).join('; '),
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
export async function saveProblems({ desk }: ImportSession, fileName: string): Promise<void> {
  saveFile(beside(fileName, 'problems'), await desk.problems());
}

/** An empty file with every column, and two people who show how cells are written. */
export function saveTemplate(): void {
  const { id: _, ...columns } = HEADINGS;
  saveFile(
    'users-template.csv',
    toCsv([
      Object.values(columns),
      ['ann.example@company.example', 'Ann', 'Example', 'Active', 'Standard', '', 'No', 'No', ''],
      ['ben.example@company.example', 'Ben', 'Example', 'Inactive', 'No License', '', 'No', 'No', ''],
    ]),
  );
}
