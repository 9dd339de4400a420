import { FIELD, holdsMoney, isFileField, type FieldType } from '../fields.ts';

/**
 * Types of expressions. Dates are milliseconds since 1970 in UTC while they are computed with, a `day` is at its
 * midnight; `texts` are the names of several choices; `ids` can be counted and asked whether there are any.
 */
export type ValueType = 'number' | 'text' | 'boolean' | 'date' | 'day' | 'texts' | 'ids';

/** A value while it is computed with; null: no data. */
export type Value = number | string | boolean | readonly (number | string)[] | null;

/** What a formula has to know about a field of its entry type. */
export interface FormulaField {
  id: number;
  apiName: string;
  fieldType: FieldType;
  isMoney: boolean;
  isMultiSelect: boolean;
  isDateOnly: boolean;
  formula: string | null;
  /** Name of a choice of the field. */
  choiceName(id: number): string | undefined;
}

const TYPES: Readonly<Record<FieldType, ValueType>> = {
  [FIELD.text]: 'text',
  [FIELD.choice]: 'text',
  [FIELD.number]: 'number',
  [FIELD.date]: 'date',
  [FIELD.reference]: 'ids',
  [FIELD.boolean]: 'boolean',
  [FIELD.user]: 'ids',
  [FIELD.binary]: 'ids',
  [FIELD.counter]: 'number',
  [FIELD.image]: 'ids',
  [FIELD.currency]: 'number',
};

/** The type that a field has in a formula: money counts without its currency, a choice by its name. */
export function typeOfField(field: FormulaField): ValueType {
  if (field.fieldType === FIELD.date && field.isDateOnly) return 'day';
  if (field.fieldType === FIELD.choice && field.isMultiSelect) return 'texts';
  return TYPES[field.fieldType];
}

const listOf = (stored: unknown): unknown[] => (Array.isArray(stored) ? stored : [stored]);

/** The value of a field as it is stored (absent: undefined), to compute with. */
export function valueOfField(field: FormulaField, stored: unknown): Value {
  if (stored === undefined || stored === null) return null;
  const type = typeOfField(field);
  if (type === 'number') return numberOf(holdsMoney(field) ? Object(stored).value : stored);
  if (type === 'boolean') return typeof stored === 'boolean' ? stored : null;
  if (type === 'date' || type === 'day')
    return typeof stored === 'string' ? numberOf(Date.parse(stored)) : null;
  if (type === 'ids')
    return isFileField(field.fieldType) ? listOf(stored).map(() => 0) : listOf(stored).map(Number);
  if (field.fieldType === FIELD.choice) {
    const names = listOf(stored).flatMap((id) => field.choiceName(Number(id)) ?? []);
    return type === 'texts' ? names : (names[0] ?? null);
  }
  return typeof stored === 'string' ? stored : null;
}

/** A number that can be computed with; no data for everything else, so that no NaN or infinity is ever stored. */
export const numberOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;

const MOST_TEXT = 1_000_000;
/** Years 1 to 9999, as dates can be written. */
const FIRST_MOMENT = Date.parse('0001-01-01T00:00:00.000Z');
const LAST_MOMENT = Date.parse('9999-12-31T23:59:59.999Z');

/** A text that may be stored: an empty one is no data, one that is too long as well. */
export const textOf = (text: string): string | null => (text === '' || text.length > MOST_TEXT ? null : text);

/** A moment that can be written down. */
export const momentOf = (moment: number): number | null =>
  moment >= FIRST_MOMENT && moment <= LAST_MOMENT ? Math.trunc(moment) : null;

/** A moment or day as it is stored. */
export const writtenDate = (moment: number, type: 'date' | 'day'): string =>
  type === 'day' ? new Date(moment).toISOString().slice(0, 10) : new Date(moment).toISOString();

/** The result of a formula as the calculated field stores it; undefined: no data. */
export function storedResult(
  field: Pick<FormulaField, 'fieldType' | 'isDateOnly'>,
  value: Value,
): string | number | boolean | undefined {
  if (value === null || typeof value === 'object') return undefined;
  if (field.fieldType === FIELD.date)
    return typeof value === 'number' ? writtenDate(value, field.isDateOnly ? 'day' : 'date') : undefined;
  return value === '' ? undefined : value;
}
