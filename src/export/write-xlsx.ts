import writeXlsxFile from 'write-excel-file/universal';
import type { ExportCell } from './columns.ts';

type Cell =
  | { type: StringConstructor; value: string; fontWeight?: 'bold' }
  | { type: NumberConstructor; value: number }
  | { type: DateConstructor; value: Date; format: string };

const MOMENT = 'yyyy-mm-dd hh:mm:ss';

// Text has the type of text: a sheet never takes it for a formula (security T19).
function toCell(value: ExportCell): Cell {
  if (typeof value === 'number') return { type: Number, value };
  return value instanceof Date ? { type: Date, value, format: MOMENT } : { type: String, value };
}

const heading = (value: string): Cell => ({ type: String, value, fontWeight: 'bold' });

/** These rows as rows of a sheet. */
export const xlsxRows = (rows: readonly (readonly ExportCell[])[]): Cell[][] =>
  rows.map((cells) => cells.map(toCell));

/** What a workbook is told beside its rows. */
export interface Table {
  columns: readonly { heading: string; width: number }[];
  sheet: string;
  filter: string;
  made: Date;
}

/** A workbook of rows, with a second sheet that says what they are: in the first it would come back in an import. */
export function toXlsx(rows: readonly Cell[][], { columns, sheet, filter, made }: Table): Promise<Blob> {
  const about: Cell[][] = [
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
