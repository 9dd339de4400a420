import { ENTRY_ID } from '../../../../contract/rules/query/condition.ts';
import type { FileRow } from '../../../files/table/table.ts';
import type { Field } from '../model/schema.ts';
import type { ExistingEntry } from './check.ts';
import { createNameIndex } from './name-index.ts';
import type { NameIndex, NamedItem } from './name-index.ts';
import { parseRow } from './parse-row.ts';
import type { RowTarget } from './parse-row.ts';
import type { ParseRules } from './parse-row.ts';
import { canHold } from './row-references.ts';
import type { StoredValue } from './stored-values.ts';
import { locateColumns } from './targets.ts';
import type { Mapping } from './targets.ts';

/** Input of a check. */
export interface CheckRequest {
  fields: readonly Field[];
  mapping: Mapping;
  rules: ParseRules;
  /** Identifies existing entries: `EntryId`, the apiName of a field, or empty if all rows are new. */
  key: string;
}

export const EMPTY_INDEX = createNameIndex([]);
// Limit of a value in a row query.
export const MAX_KEY_LENGTH = 10_000;

/** Key value as compared: text without case, or a number. */
export const normalizeKey = (value: StoredValue | undefined): string | number | undefined =>
  typeof value === 'string' ? value.toLowerCase() : typeof value === 'number' ? value : undefined;

/** Fields that decide whether a row can be stored: those of the file and those they depend on. */
export function getComparedFields({ fields, mapping }: CheckRequest): readonly Field[] {
  const { fields: inFile } = locateColumns(mapping, fields);
  const ids = new Set(inFile.map(({ field }) => field.id));
  for (const { requiredWhen } of fields)
    for (const { fieldId } of requiredWhen?.conditions ?? []) ids.add(fieldId);
  return fields.filter(
    ({ id, isKey, isRequired, requiredWhen }) => isKey || isRequired || requiredWhen || ids.has(id),
  );
}

/** Key of the row's entry; undefined if the row does not contain it. */
export const getRowKey = (target: RowTarget, { fields, key }: CheckRequest): string | number | undefined => {
  if (key === ENTRY_ID) return target.entryId;
  const field = fields.find(({ apiName }) => apiName === key);
  return field && normalizeKey(target.values.get(field.id)?.value);
};

/** Rows as items that other rows can refer to, by name and by key. */
export function getNamedRows(
  rows: readonly FileRow[],
  request: CheckRequest,
  entries: ReadonlyMap<string | number, readonly ExistingEntry[]>,
): NamedItem[] {
  const { fields, mapping, rules, key } = request;
  const columns = locateColumns(mapping, fields);
  if (!columns.fields.some(({ field }) => canHold(field, field.entryTypeId))) return [];
  const name = fields.find(({ isKey }) => isKey);
  const own = fields.filter((field) => field === name || field.apiName === key);
  const short = locateColumns(mapping, own);
  return rows.flatMap((row) => {
    const target = parseRow(row, short, rules, () => EMPTY_INDEX);
    const value = getRowKey(target, request);
    const entry = value === undefined ? undefined : entries.get(value)?.[0];
    const text = (field: Field | undefined): string => {
      const held = field && (target.values.get(field.id)?.value ?? entry?.values.get(field.id));
      return typeof held === 'string' || typeof held === 'number' ? String(held) : '';
    };
    const called = text(name);
    const alias = text(own.find((field) => field !== name));
    if (called === '' && alias === '') return [];
    const id = entry?.id ?? -row.row;
    return called === '' ? [{ id, name: alias }] : [{ id, name: called, ...(alias !== '' && { alias }) }];
  });
}

/** Parses all rows; adds errors to rows without a usable key. */
export function parseRows(
  rows: readonly FileRow[],
  request: CheckRequest,
  bookOfField: (field: Field) => NameIndex,
): RowTarget[] {
  const columns = locateColumns(request.mapping, request.fields);
  const keyed = request.fields.find(({ apiName }) => apiName === request.key);
  return rows.map((row) => {
    const target = parseRow(row, columns, request.rules, bookOfField);
    const value = keyed && target.values.get(keyed.id)?.value;
    if (!keyed || target.errors.some(({ field }) => field === undefined || field === keyed.apiName))
      return target;
    if (value === undefined)
      target.errors.push({ field: keyed.apiName, message: 'Is empty, so the entry cannot be identified' });
    else if (typeof value === 'string' && value.length > MAX_KEY_LENGTH)
      target.errors.push({ field: keyed.apiName, message: 'Is too long to find the entry by it' });
    return target;
  });
}
