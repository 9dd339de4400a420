/** Rows of an export as the database stores them, and their text in the file. */
import type { FieldValue, NamedValue, RowVm } from '../../../../contract/generated/types.gen.ts';
import { FIELD, isFileField, isIdField } from '../../../../contract/rules/fields.ts';
import { formatCsvRows } from '../../../../contract/rules/tables/csv.ts';
import { buildExportColumns, type ExportField } from '../../../../contract/rules/tables/entry-columns.ts';
import { formatJsonRows } from '../../../../contract/rules/tables/json.ts';

/** A choice as rows of responses have it. */
type Choice = { id: number; name: string; seqNumber: number; entryListId: number };

/** A field whose stored values become values of a row. Only plain data, because threads exchange it. */
export interface StoredField {
  id: number;
  apiName: string;
  fieldType: ExportField['fieldType'];
  isMultiSelect: boolean;
  isDateOnly: boolean;
  /** All choices, removed ones included: entries keep them. */
  choices: readonly Choice[];
}

/** Rows as the database returns them. */
export interface StoredRows {
  /** Rows of the form `StoredRow` as JSON, separated by commas. */
  text: string;
  /** JSON objects: users and entries of the rows by id, null for unknown ones. */
  users: string;
  references: string;
}

/** Id of the entry, its stored values by the id of their field, and its fields of files by apiName. */
type StoredRow = [entryId: number, values: Record<string, unknown>, files?: Partial<RowVm>];

type NamesById = ReadonlyMap<unknown, NamedValue>;
type ReadValue = (value: unknown, names: NamesById) => FieldValue | undefined;

/** Several items in their order; a single one is not an array (shapes 4). Unknown ids have no item. */
function findItems(ids: unknown, names: NamesById): NamedValue[] | NamedValue | undefined {
  const items = Array.isArray(ids) ? ids.flatMap((id) => names.get(id) ?? []) : [];
  return items.length > 1 ? items : items[0];
}

/** Returns the function that makes values of a row (shapes 4) from those of `vals`; no data is undefined. */
function createValueReader({ fieldType, isMultiSelect, isDateOnly }: StoredField): ReadValue {
  if (isIdField(fieldType)) return isMultiSelect ? findItems : (id, names) => names.get(id);
  if (fieldType === FIELD.date && isDateOnly)
    return (day) => (typeof day === 'string' ? `${day}T00:00:00.000Z` : undefined);
  return (value) => (value ?? undefined) as FieldValue | undefined;
}

function parseNames(text: string): NamesById {
  const names = new Map<unknown, NamedValue>();
  for (const item of Object.values(JSON.parse(text) as Record<string, NamedValue | null>))
    if (item) names.set(item.id, item);
  return names;
}

type ReadField = (row: StoredRow) => FieldValue | undefined;

/** Returns a function that makes the readers of fields by apiName for some rows. */
function createFieldReaders(fields: readonly StoredField[]) {
  const choicesByField = new Map(
    fields.map(({ id, choices }) => [id, new Map(choices.map((choice) => [choice.id, choice]))]),
  );
  return ({ users, references }: StoredRows): Map<string, ReadField> => {
    const usersById = parseNames(users);
    const referencesById = parseNames(references);
    const getNames = ({ id, fieldType }: StoredField): NamesById => {
      if (fieldType === FIELD.user) return usersById;
      return fieldType === FIELD.reference ? referencesById : (choicesByField.get(id) ?? NO_NAMES);
    };
    const toReader = (field: StoredField): ReadField => {
      const { apiName } = field;
      if (isFileField(field.fieldType)) return ([, , files]) => files?.[apiName];
      const read = createValueReader(field);
      const names = getNames(field);
      const key = String(field.id);
      return ([, values]) => read(values[key], names);
    };
    return new Map(fields.map((field) => [field.apiName, toReader(field)]));
  };
}

const NO_NAMES: NamesById = new Map();

const parseStoredRows = ({ text }: StoredRows): StoredRow[] => JSON.parse(`[${text}]`) as StoredRow[];

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

/** Returns a function that makes the text of rows in the file; `isFirst` where no row precedes them. */
export function createRowFormatter({
  format,
  fields,
  allFields,
  columnFields,
  zone,
}: RowFormat): (rows: StoredRows, isFirst: boolean) => string {
  const createReaders = createFieldReaders(fields);
  const columns = buildExportColumns({ fields: allFields, columns: columnFields, zone });
  return (rows, isFirst) => {
    const readers = createReaders(rows);
    // Cells are made of the stored values: objects with twenty names for each row would take a quarter of the time.
    const toCells = columns.map(({ source }) => {
      const read = source && readers.get(source.apiName);
      return read ? (row: StoredRow) => source.toCell(read(row)) : ([entryId]: StoredRow) => entryId;
    });
    const cells = parseStoredRows(rows).map((row) => toCells.map((toCell) => toCell(row)));
    return format === 'csv' ? formatCsvRows(cells) : formatJsonRows(columns, cells, isFirst);
  };
}
