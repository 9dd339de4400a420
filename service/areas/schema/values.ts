/**
 * How the value of a field lies in the database.
 *
 * `entry.vals` maps the id of a field to its value; a field without data is absent, never null or an empty text:
 *
 * - Text: the text exactly as written. Number: a number. Counter: a number. Boolean: true or false.
 * - Date: `2026-03-01T08:00:00.000Z`, always with milliseconds and Z; of a date-only field the day, `2026-03-01`.
 * - Choice, Reference, User: the id; of a multi-select field the ids in their order, never empty, none twice.
 * - Currency, and Number with isMoney: `{"value": 12.5, "currencyCode": "EUR"}`.
 * - Binary, Image: `[{"file": 7, "name": "plan.pdf", "type": "application/pdf", "size": 1024}]`, `file` of stored_file.
 * - A calculated field: as a plain field of its type.
 *
 * A slot holds what filters and orders compare: n-slots the number, the amount, 0 or 1, the id, or the moment in
 * milliseconds since 1970 (of a day: of its midnight in UTC); t-slots and `name_key` the first 200 characters of the
 * folded text. Fields of several values have no slot.
 */
import { FIELD } from '../../../contract/rules/fields.ts';
import { nearKey } from '../../../contract/rules/near-names.ts';
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
/** What stands in `entry.vals`. */
export type Vals = Readonly<Record<string, StoredValue | undefined>>;

const FIRST_200 = /^[^]{0,200}/u;

/**
 * Texts compare without regard to case (shapes 4). The same as the database's own function `fold`, but for letters that
 * are newer than the Unicode of one of the two.
 */
export const folded = (text: string): string => text.toLowerCase();

/** What a t-slot or name_key holds of a text: in SQL `left(fold(text), 200)`, characters counted as there. */
export const slotText = (text: string): string => FIRST_200.exec(folded(text))?.[0] ?? '';

/** What the slot of a field holds of its value; null: no data, or several values. */
export function slotValue(value: StoredValue | undefined, field: SchemaField): string | number | null {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'string') return field.fieldType === FIELD.date ? Date.parse(value) : slotText(value);
  return value !== undefined && 'currencyCode' in value ? value.value : null;
}

type NameColumns = { name: string; name_key: string; near_key: string | null };
type Columns = Partial<NameColumns & Record<NumberSlot, number | null> & Record<TextSlot, string | null>>;

/**
 * The columns of `entry` that follow from the values of these fields, by default of all: the name with its keys, and the
 * slots.
 */
export function columnsOf(
  type: EntryType,
  vals: Vals,
  fields: readonly SchemaField[] = type.fields,
): Columns {
  const columns: [string, string | number | null][] = [];
  for (const field of fields)
    if (field.slot !== null && field.slot !== 'name')
      columns.push([field.slot, slotValue(vals[field.id], field)]);
  const named = fields.some(({ isKey }) => isKey) ? nameColumns(vals[type.key.id]) : {};
  return { ...Object.fromEntries(columns), ...named };
}

function nameColumns(given: StoredValue | undefined): NameColumns {
  const name = typeof given === 'string' ? given : '';
  return { name, name_key: slotText(name), near_key: nearKey(name) ?? null };
}

/** The values `v` of a field's rows in entry_multi: of every multi-select field of ids, and of every reference. */
export function multiValues(value: StoredValue | undefined, field: SchemaField): readonly number[] {
  if (typeof value === 'number') return field.fieldType === FIELD.reference ? [value] : [];
  return Array.isArray(value) ? value.filter((item): item is number => typeof item === 'number') : [];
}

/** The text `v` of a field's row in entry_text; undefined: it has none. */
export const searchedText = (value: StoredValue | undefined, field: SchemaField): string | undefined =>
  field.isSearchable && typeof value === 'string' ? folded(value) : undefined;
