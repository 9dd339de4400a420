import { toCsv } from '../../lib/csv.ts';
import { saveFile } from '../../lib/save-file.ts';
import { HEADINGS } from './fields.ts';

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
