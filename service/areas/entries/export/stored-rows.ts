/** Rows of an export as the database stores them, and their text in the file. */
import type { FieldValue, RowVm } from '../../../../contract/generated/types.gen.ts';
import { isFileField } from '../../../../contract/rules/schema/fields.ts';
import { formatCsvRows } from '../../../../contract/rules/tables/csv.ts';
import { buildExportColumns, type ExportField } from '../../../../contract/rules/tables/entry-columns.ts';
import { formatJsonRows } from '../../../../contract/rules/tables/json.ts';
import { createCsvScanner } from './csv-scanner.ts';
import { createNamesReader, createValueReader, type StoredField, type StoredRows } from './stored-values.ts';

/** Id of the entry, its stored values by the id of their field, and its fields of files by apiName. */
type StoredRow = [entryId: number, values: Record<string, unknown>, files?: Partial<RowVm>];

type ReadField = (row: StoredRow) => FieldValue | undefined;

/** Returns a function that makes the readers of fields by apiName for some rows. */
function createFieldReaders(fields: readonly StoredField[]) {
  const readNames = createNamesReader(fields);
  return (rows: StoredRows): Map<string, ReadField> => {
    const names = readNames(rows);
    const toReader = (field: StoredField): ReadField => {
      const { apiName } = field;
      if (isFileField(field.fieldType)) return ([, , files]) => files?.[apiName];
      const read = createValueReader(field);
      const fieldNames = names.get(field);
      const key = String(field.id);
      return ([, values]) => read(values[key], fieldNames);
    };
    return new Map(fields.map((field) => [field.apiName, toReader(field)]));
  };
}

const decoder = new TextDecoder();

const parseStoredRows = ({ texts }: StoredRows): StoredRow[] =>
  texts.flatMap((text) => JSON.parse(`[${decoder.decode(text)}]`) as StoredRow[]);

/** Returns a function that parses rows as `readStoredRows` returns them. */
export function createRowParser(fields: readonly StoredField[]): (rows: StoredRows) => RowVm[] {
  const createReaders = createFieldReaders(fields);
  return (rows) => {
    const readers = [...createReaders(rows)];
    return parseStoredRows(rows).map((stored) => {
      const row: RowVm = { EntryId: stored[0] };
      for (const [apiName, read] of readers) {
        const value = read(stored);
        if (value !== undefined) row[apiName] = value;
      }
      return row;
    });
  };
}

/** What the text of a row depends on. */
export interface RowFormat {
  format: 'csv' | 'json';
  fields: readonly StoredField[];
  /** All fields of the type, and those of the columns. */
  allFields: readonly ExportField[];
  columnFields: readonly ExportField[];
  zone: string;
}

const encoder = new TextEncoder();

/** Makes the text of rows in the file, in UTF-8; `isFirst` where no row precedes them. `spare` is memory that the text may use. */
type FormatRows = (
  rows: StoredRows,
  isFirst: boolean,
  spare?: Uint8Array<ArrayBuffer>,
) => Uint8Array<ArrayBuffer>;

/** Returns a function that makes the text of rows in the file. */
export function createRowFormatter({ format, fields, allFields, columnFields, zone }: RowFormat): FormatRows {
  const createReaders = createFieldReaders(fields);
  const columns = buildExportColumns({ fields: allFields, columns: columnFields, zone });
  if (format === 'csv' && !fields.some(({ fieldType }) => isFileField(fieldType))) {
    const scan = createCsvScanner({ fields, columns, zone });
    return (rows, _isFirst, spare) => scan(rows, spare);
  }
  return (rows, isFirst) => {
    const readers = createReaders(rows);
    // Cells are made of the stored values: objects with twenty names for each row would take a quarter of the time.
    const toCells = columns.map(({ source }) => {
      const read = source && readers.get(source.apiName);
      return read ? (row: StoredRow) => source.toCell(read(row)) : ([entryId]: StoredRow) => entryId;
    });
    const cells = parseStoredRows(rows).map((row) => toCells.map((toCell) => toCell(row)));
    return encoder.encode(format === 'csv' ? formatCsvRows(cells) : formatJsonRows(columns, cells, isFirst));
  };
}
