import type { ExportRow, GroupNames } from './columns.ts';
import { csvHead, csvRows } from './write-csv.ts';
import { toXlsx, xlsxRows } from './write-xlsx.ts';
import type { About } from './write-xlsx.ts';

export type Format = 'csv' | 'xlsx';

export interface Beginning extends About {
  format: Format;
  groups: GroupNames;
  /** Whether the rows bring federation ids. */
  federation: boolean;
}

export interface Writer {
  add: (rows: readonly ExportRow[]) => void;
  end: () => Promise<Blob>;
}

/** Writes a file piece by piece. */
export function createWriter({ format, groups, federation, ...about }: Beginning): Writer {
  if (format === 'csv') {
    const parts = [csvHead(federation)];
    return {
      add: (rows) => void parts.push(csvRows(rows, groups, federation)),
      end: () => Promise.resolve(new Blob(parts, { type: 'text/csv' })),
    };
  }
  const lines: ReturnType<typeof xlsxRows> = [];
  return {
    add: (rows) => void lines.push(...xlsxRows(rows, groups, federation)),
    end: () => toXlsx(lines, about, federation),
  };
}
