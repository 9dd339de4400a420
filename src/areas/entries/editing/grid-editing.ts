import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { FieldValue, RowVm } from '../../../../contract/generated/types.gen.ts';
import { formatCsvRow, removeFormulaGuard } from '../../../../contract/rules/tables/csv.ts';
import { usePermission } from '../../../api/session.ts';
import type { EntryColumn } from '../model/columns.ts';
import type { Field, Schema } from '../model/schema.ts';
import { useRememberFields } from '../model/schema.ts';
import { useEntryType } from '../model/use-entry-type.ts';
import { formatItem, toItems, getValue } from '../model/values.ts';
import { useTimeZone } from '../model/zone.ts';
import { useChangeSet } from './change-set-store.ts';
import { getCellKey, getStagedCells } from './change-set.ts';
import type { ChangeSet, InvalidInput, StagedCell, StagedDeletion } from './change-set.ts';
import { getRuleFields, currentCellsQuery } from './current-cells.ts';
import type { CurrentCell } from './current-cells.ts';
import { formatInput } from './parse-input.ts';
import type { CellBlock } from './paste.ts';
import { getLockedReason, findMissingValues } from './value-rules.ts';

/** Context for editing in the grid: schema, staged changes and permission. */
export interface GridEditing {
  typeId: number;
  schema: Schema;
  /** All fields of the type, including those without a visible column. */
  fields: readonly Field[];
  changes: ChangeSet;
  /** Why the user cannot edit entries; undefined if permitted. */
  refusal: string | undefined;
  zone: string;
  /** Stored values of staged entries in fields that `requiredWhen` rules need, by `getCellKey`. */
  current?: ReadonlyMap<string, CurrentCell> | undefined;
}

/** Reason why a cell cannot be edited; undefined if it can. */
export const getEditRefusal = (
  { refusal, changes }: Pick<GridEditing, 'refusal' | 'changes'>,
  field: Field,
  entryId: number,
): string | undefined =>
  refusal ??
  (changes.deletions.has(entryId) ? 'This entry will be deleted. Keep it first.' : undefined) ??
  getLockedReason(field);

/** The displayed value of a cell: the staged one, or else the stored one. */
export function getShownValue(row: RowVm, field: Field, { cells }: ChangeSet): FieldValue | undefined {
  const staged = cells.get(row.EntryId)?.get(field.id);
  return staged ? staged.value : getValue(row, field);
}

/** Name of an entry in the list of changes; the list shows the staged name of new entries itself. */
export function getStagedEntryName(row: RowVm, columns: readonly EntryColumn[]): string {
  if (row.EntryId < 0) return `New entry ${-row.EntryId}`;
  const [key] = columns;
  const [name] = key ? toItems(getValue(row, key.field)) : [];
  const text = key && name !== undefined ? formatItem(name, key.field).trim() : '';
  return text === '' ? `Entry ${row.EntryId}` : text.slice(0, 200);
}

/** Creates a staged cell with a new value or invalid input. */
export const createStagedCell = (
  row: RowVm,
  field: Field,
  value: FieldValue | undefined,
  columns: readonly EntryColumn[],
  invalidInput?: InvalidInput,
): StagedCell => ({
  entryId: row.EntryId,
  entryName: getStagedEntryName(row, columns),
  fieldId: field.id,
  before: getValue(row, field),
  value,
  ...(invalidInput && { invalidInput }),
});

/** Creates a staged deletion of an entry as displayed in these columns. */
export const createStagedDeletion = (row: RowVm, columns: readonly EntryColumn[]): StagedDeletion => ({
  entryId: row.EntryId,
  entryName: getStagedEntryName(row, columns),
  row,
  fieldIds: columns.map(({ field }) => field.id),
});

/** Copies cells as TSV for spreadsheets and with their exact values for pasting back. */
export function copyCells(
  rows: readonly RowVm[],
  columns: readonly EntryColumn[],
  { changes, zone }: Pick<GridEditing, 'changes' | 'zone'>,
): { tsv: string; block: CellBlock } {
  const values = rows.map((row) => columns.map(({ field }) => getShownValue(row, field, changes)));
  const toText = (value: FieldValue | undefined, column: number): string | number => {
    const field = columns[column]?.field;
    if (typeof value === 'number') return value;
    return field ? formatInput(value, field, zone) : '';
  };
  const cells = values.map((row) => row.map(toText));
  return {
    tsv: toTsv(cells),
    block: {
      texts: cells.map((row) => row.map(String)),
      values,
      fieldIds: columns.map(({ field }) => field.id),
    },
  };
}

/** Errors of the staged cells of an entry by field id: invalid input, the service's errors, missing required values. */
export function getRowErrors(
  row: RowVm,
  columns: readonly EntryColumn[],
  { fields, changes, current }: Pick<GridEditing, 'fields' | 'changes' | 'current'>,
): ReadonlyMap<number, string> {
  const staged = changes.cells.get(row.EntryId);
  if (!staged) return NO_ERRORS;
  const hiddenRuleValues = getRuleFields(fields).flatMap(({ id: fieldId }) => {
    const stored = current?.get(getCellKey({ entryId: row.EntryId, fieldId }));
    return stored ? [[fieldId, stored.value] as const] : [];
  });
  // New entries are validated completely; of existing ones unknown values are left to the service.
  const isNew = row.EntryId < 0;
  const before = new Map([
    ...(isNew ? fields.map(({ id }) => [id, undefined] as const) : []),
    ...hiddenRuleValues,
    ...[...staged.values()].map((cell) => [cell.fieldId, cell.before] as const),
    ...columns.map(({ field }) => [field.id, getValue(row, field)] as const),
  ]);
  const after = new Map([
    ...before,
    ...[...staged.values()].map((cell) => [cell.fieldId, cell.value] as const),
  ]);
  const reportedErrors = fields.flatMap((field) => {
    const error =
      staged.get(field.id)?.invalidInput?.error ??
      changes.errors.get(getCellKey({ entryId: row.EntryId, fieldId: field.id }));
    return error === undefined ? [] : [[field.id, error] as const];
  });
  return new Map([...findMissingValues(fields, isNew ? undefined : before, after), ...reportedErrors]);
}

const NO_ERRORS: ReadonlyMap<number, string> = new Map();

/**
 * The editing context for the entry type of the URL. If a `requiredWhen` rule needs fields without a visible column,
 * their values are loaded for the staged entries.
 */
export function useGridEditing(columns?: readonly EntryColumn[]): GridEditing {
  const { schema, type, fields } = useEntryType();
  useRememberFields(fields);
  const changes = useChangeSet(type.id);
  const { reason: refusal } = usePermission('updateEntries');
  const { name: zone } = useTimeZone();
  const cells = useMemo(() => getStagedCells(changes), [changes]);
  const visibleIds = new Set(columns?.map(({ field }) => field.id));
  const needsHiddenFields =
    columns !== undefined && getRuleFields(fields).some(({ id }) => !visibleIds.has(id));
  const { data: current } = useQuery({
    ...currentCellsQuery(type.id, cells, fields),
    enabled: needsHiddenFields && cells.some(({ entryId }) => entryId > 0),
    placeholderData: keepPreviousData,
  });
  return useMemo(
    () => ({ typeId: type.id, schema, fields, changes, refusal, zone, current }),
    [type.id, schema, fields, changes, refusal, zone, current],
  );
}

const SPECIAL_CHARACTERS = /["\t\r\n]/;

/** Formats a cell with the formula guard of CSV files, so that spreadsheets do not run texts as formulas (security T19). */
function formatCell(cell: string | number): string {
  const quoted = formatCsvRow([cell]).slice(0, -'\r\n'.length);
  if (typeof cell === 'number') return quoted;
  return SPECIAL_CHARACTERS.test(cell) ? quoted : quoted.slice(1, -1);
}

/** Formats cells as spreadsheets copy them; cells with tabs, line ends or quotes are quoted. */
export const toTsv = (block: readonly (readonly (string | number)[])[]): string =>
  block.map((row) => row.map(formatCell).join('\t')).join('\r\n');

const QUOTED_CELL = /"((?:[^"]|"")*)"(?=[\t\r\n]|$)/y;
const PLAIN_CELL = /[^\t\r\n]*/y;
const CELL_END = /\r\n|[\t\r\n]|$/y;

/**
 * Parses cells copied from a spreadsheet; a line end after the last row adds no row. Excel quotes a cell only if it
 * contains tabs or line ends, so a cell such as `"q"x` or `"open` is plain text. CSV parsers treat such a cell as
 * quoted and swallow what follows, hence this parser.
 */
export function parseTsv(text: string): string[][] {
  const rows: string[][] = [[]];
  let position = 0;
  const match = (pattern: RegExp) => {
    pattern.lastIndex = position;
    return pattern.exec(text);
  };
  for (;;) {
    const quoted = match(QUOTED_CELL);
    const cell = quoted?.[1]?.replaceAll('""', '"') ?? match(PLAIN_CELL)?.[0] ?? '';
    rows.at(-1)?.push(removeFormulaGuard(cell));
    position += quoted ? quoted[0].length : cell.length;
    const end = match(CELL_END)?.[0] ?? '';
    position += end.length;
    if (end === '' || (end !== '\t' && position === text.length)) return rows;
    if (end !== '\t') rows.push([]);
  }
}
