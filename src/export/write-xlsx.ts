import writeXlsxFile from 'write-excel-file/universal';
import { exportColumns } from './columns.ts';
import type { ExportCell, ExportRow, GroupNames } from './columns.ts';

type Cell =
  | { type: StringConstructor; value: string; fontWeight?: 'bold' }
  | { type: NumberConstructor; value: number }
  | { type: DateConstructor; value: Date; format: string };

const MOMENT = 'yyyy-mm-dd hh:mm';

// Text has the type of text: a sheet never takes it for a formula (security T19).
function toCell(value: ExportCell): Cell {
  if (typeof value === 'number') return { type: Number, value };
  return value instanceof Date ? { type: Date, value, format: MOMENT } : { type: String, value };
}

const heading = (value: string): Cell => ({ type: String, value, fontWeight: 'bold' });

/** These people as rows of a sheet. */
export function xlsxRows(rows: readonly ExportRow[], groups: GroupNames, federation: boolean): Cell[][] {
  const columns = exportColumns(federation);
  return rows.map((row) => columns.map(({ cell }) => toCell(cell(row, groups))));
}

export interface About {
  filter: string;
  made: Date;
}

/** A workbook of people, with a second sheet that says who they are: rows alone would come back in an import. */
export function toXlsx(rows: readonly Cell[][], { filter, made }: About, federation: boolean): Promise<Blob> {
  const columns = exportColumns(federation);
  const about: Cell[][] = [
    [heading('People'), toCell(rows.length)],
    [heading('Filter'), toCell(filter)],
    [heading('Exported'), toCell(made)],
  ];
  return writeXlsxFile([
    {
      sheet: 'Users',
      data: [columns.map((column) => heading(column.heading)), ...rows],
      columns: columns.map(({ width }) => ({ width })),
      stickyRowsCount: 1,
    },
    { sheet: 'About', data: about, columns: [{ width: 14 }, { width: 60 }] },
  ]).toBlob();
}
