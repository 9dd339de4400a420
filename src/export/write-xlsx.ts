import writeXlsxFile from 'write-excel-file/universal';
import type { ExportCell } from './cells.ts';
import { sheetText } from './sheet-text.ts';

type Cell =
  | { type: StringConstructor; value: string; fontWeight?: 'bold' }
  | { type: NumberConstructor; value: number }
  | { type: DateConstructor; value: Date; format: string };

const MOMENT = 'yyyy-mm-dd hh:mm:ss';
const DAY = 'yyyy-mm-dd';

// Text has the type of text: a sheet never takes it for a formula (security T19).
function toCell(value: ExportCell): Cell | null {
  if (value === '') return null;
  if (typeof value === 'number') return { type: Number, value };
  if (value instanceof Date) return { type: Date, value, format: MOMENT };
  if (typeof value === 'string') return { type: String, value: sheetText(value) };
  return { type: Date, value: new Date(value.wall), format: value.isDay ? DAY : MOMENT };
}

const heading = (value: string): Cell => ({ type: String, value: sheetText(value), fontWeight: 'bold' });

/** These rows as rows of a sheet. */
export const xlsxRows = (rows: readonly (readonly ExportCell[])[]): (Cell | null)[][] =>
  rows.map((cells) => cells.map(toCell));

/** What a workbook is told beside its rows. */
export interface Table {
  columns: readonly { heading: string; width: number }[];
  sheet: string;
  filter: string;
  made: Date;
}

/** A workbook of rows, with a second sheet that says what they are: in the first it would come back in an import. */
export function toXlsx(
  rows: readonly (Cell | null)[][],
  { columns, sheet, filter, made }: Table,
): Promise<Blob> {
  const about: (Cell | null)[][] = [
    [heading('Rows'), toCell(rows.length)],
    [heading('Filter'), toCell(filter)],
    [heading('Exported'), toCell(made)],
  ];
  return writeXlsxFile([
    {
      sheet,
      data: [columns.map((column) => heading(column.heading)), ...rows],
      columns: columns.map(({ width }) => ({ width })),
      stickyRowsCount: 1,
    },
    { sheet: 'About', data: about, columns: [{ width: 14 }, { width: 60 }] },
  ]).toBlob();
}
