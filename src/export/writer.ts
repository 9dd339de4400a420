import type { ExportCell } from './columns.ts';
import { csvHead, csvRows } from './write-csv.ts';
import { toXlsx, xlsxRows } from './write-xlsx.ts';
import type { Table } from './write-xlsx.ts';

export type Format = 'csv' | 'xlsx';

export interface Beginning extends Table {
  format: Format;
}

export interface Writer {
  add: (rows: readonly (readonly ExportCell[])[]) => void;
  end: () => Promise<Blob>;
}

/** Writes a file piece by piece. */
export function createWriter({ format, ...table }: Beginning): Writer {
  if (format === 'csv') {
    const parts = [csvHead(table.columns)];
    return {
      add: (rows) => void parts.push(csvRows(rows)),
      end: () => Promise.resolve(new Blob(parts, { type: 'text/csv' })),
    };
  }
  const lines: ReturnType<typeof xlsxRows> = [];
  return {
    add(rows) {
      // One by one: a spread of very many is more than a call takes.
      for (const line of xlsxRows(rows)) lines.push(line);
    },
    end: () => toXlsx(lines, table),
  };
}
