/**
 * Stored form of field values.
 *
 * `entry.vals` maps the id of a field to its value; a field without data is absent, never null or an empty text:
 *
 * - Text: the text exactly as written. Number: a number. Counter: a number. Boolean: true or false.
 * - Date: `2026-03-01T08:00:00.000Z`, always with milliseconds and Z; for a date-only field the day, `2026-03-01`.
 * - Choice, Reference, User: the id; for a multi-select field the ids in order, never empty, without duplicates.
 * - Currency, and Number with isMoney: `{"value": 12.5, "currencyCode": "EUR"}`.
 * - Binary, Image: `[{"file": 7, "name": "plan.pdf", "type": "application/pdf", "size": 1024}]`; `file` is the id of a
 * stored_file.
 * - A calculated field: as an ordinary field of its type.
 *
 * A slot holds the form that filters and sorting compare: n-slots the number, the amount, 0 or 1, the id, or
 * milliseconds since 1970 (for a day: its midnight in UTC); t-slots and `name_key` the first 200 characters of the
 * case-folded text. Multi-select fields have no slot.
 */
import { FIELD } from '../../../contract/rules/schema/fields.ts';
import { getNearKey } from '../../../contract/rules/schema/near-names.ts';
import type { EntryType, NumberSlot, SchemaField, TextSlot } from './schema.ts';

interface StoredMoney {
  value: number;
  currencyCode: string;
}
export interface FileValue {
  file: number;
  name: string;
  type: string;
  size: number;
}
export type StoredValue = string | number | boolean | readonly number[] | StoredMoney | readonly FileValue[];
/** Content of `entry.vals`, by field id. */
export type StoredValues = Readonly<Record<string, StoredValue | undefined>>;

const SLOT_TEXT_PATTERN = /^[^]{0,200}/u;

/**
 * Case-folds a text for comparison (shapes 4). Equals the database function `fold`, except for letters that are newer
 * than the Unicode version of one of the two.
 */
export const foldCase = (text: string): string => text.toLowerCase();

/** Content of a t-slot or name_key for a text; in SQL `left(fold(text), 200)`, counted in code points. */
export const toSlotText = (text: string): string => SLOT_TEXT_PATTERN.exec(foldCase(text))?.[0] ?? '';

/** Content of the field's slot for a value; null for no data and for multi-select values. */
export function toSlotValue(value: StoredValue | undefined, field: SchemaField): string | number | null {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'string')
    return field.fieldType === FIELD.date ? Date.parse(value) : toSlotText(value);
  return value !== undefined && 'currencyCode' in value ? value.value : null;
}

type NameColumns = { name: string; name_key: string; near_key: string | null };
type EntryColumns = Partial<
  NameColumns & Record<NumberSlot, number | null> & Record<TextSlot, string | null>
>;

/**
 * Columns of `entry` derived from the values of these fields, by default of all: the name with its keys, and the slots.
 */
export function buildEntryColumns(
  type: EntryType,
  vals: StoredValues,
  fields: readonly SchemaField[] = type.fields,
): EntryColumns {
  const columns: [string, string | number | null][] = [];
  for (const field of fields)
    if (field.slot !== null && field.slot !== 'name')
      columns.push([field.slot, toSlotValue(vals[field.id], field)]);
  const named = fields.some(({ isKey }) => isKey) ? buildNameColumns(vals[type.keyField.id]) : {};
  return { ...Object.fromEntries(columns), ...named };
}

function buildNameColumns(value: StoredValue | undefined): NameColumns {
  const name = typeof value === 'string' ? value : '';
  return { name, name_key: toSlotText(name), near_key: getNearKey(name) ?? null };
}

/** Values `v` of the field's rows in entry_multi: ids of multi-select fields and of every reference field. */
export function toMultiValues(value: StoredValue | undefined, field: SchemaField): readonly number[] {
  if (typeof value === 'number') return field.fieldType === FIELD.reference ? [value] : [];
  return Array.isArray(value) ? value.filter((item): item is number => typeof item === 'number') : [];
}

/** Text `v` of the field's row in entry_text; undefined when it has none. */
export const toSearchText = (value: StoredValue | undefined, field: SchemaField): string | undefined =>
  field.isSearchable && typeof value === 'string' ? foldCase(value) : undefined;
