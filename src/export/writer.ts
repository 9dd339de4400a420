import type { ExportCell } from './cells.ts';
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

// What is a blob is no longer in memory: the browser keeps it on its disk.
const PART = 1024 * 1024;

/** Writes a file piece by piece. */
export function createWriter({ format, ...table }: Beginning): Writer {
  if (format === 'csv') {
    const parts: Blob[] = [];
    let text = csvHead(table.columns);
    const put = () => {
      parts.push(new Blob([text]));
      text = '';
    };
    return {
      add(rows) {
        text += csvRows(rows);
        if (text.length > PART) put();
      },
      end() {
        put();
        return Promise.resolve(new Blob(parts, { type: 'text/csv' }));
      },
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
