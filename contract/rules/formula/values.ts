import { FIELD, holdsMoney, isFileField, type FieldType } from '../schema/fields.ts';

/**
 * Types of expressions. Dates are computed as milliseconds since 1970 in UTC, a `day` as its midnight; `texts` are the names of
 * several choices; `ids` can only be counted and tested for no data.
 */
export type ValueType = 'number' | 'text' | 'boolean' | 'date' | 'day' | 'texts' | 'ids';

/** A value in a computation; null for no data. */
export type Value = number | string | boolean | readonly (number | string)[] | null;

/** The properties of a field that formulas use. */
export interface FormulaField {
  id: number;
  apiName: string;
  fieldType: FieldType;
  isMoney: boolean;
  isMultiSelect: boolean;
  isDateOnly: boolean;
  formula: string | null;
  /** Limit of a text that the formula results in, in UTF-16 code units; null for DEFAULT_FORMULA_MAX_LENGTH. */
  formulaMaxLength: number | null;
  /** Name of a choice of the field by id. */
  getChoiceName(id: number): string | undefined;
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

/** The type of a field in a formula: money is used without its currency, a choice by its name. */
export function getFieldType(field: FormulaField): ValueType {
  if (field.fieldType === FIELD.date && field.isDateOnly) return 'day';
  if (field.fieldType === FIELD.choice && field.isMultiSelect) return 'texts';
  return TYPES[field.fieldType];
}

const toList = (stored: unknown): unknown[] => (Array.isArray(stored) ? stored : [stored]);

/** Converts a stored value (undefined for no data) to a value for computations. */
export function getFieldValue(field: FormulaField, stored: unknown): Value {
  if (stored === undefined || stored === null) return null;
  const type = getFieldType(field);
  if (type === 'number') return toNumber(holdsMoney(field) ? Object(stored).value : stored);
  if (type === 'boolean') return typeof stored === 'boolean' ? stored : null;
  if (type === 'date' || type === 'day')
    return typeof stored === 'string' ? toNumber(Date.parse(stored)) : null;
  if (type === 'ids')
    return isFileField(field.fieldType) ? toList(stored).map(() => 0) : toList(stored).map(Number);
  if (field.fieldType === FIELD.choice) {
    const names = toList(stored).flatMap((id) => field.getChoiceName(Number(id)) ?? []);
    return type === 'texts' ? names : (names[0] ?? null);
  }
  return typeof stored === 'string' ? stored : null;
}

/** A finite number, or null for everything else, so that NaN and infinities are never stored. */
export const toNumber = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;

/** Limit of texts within a calculation in UTF-16 code units: the length of the longest text that an entry can hold. */
const MAX_INTERMEDIATE_LENGTH = 1_000_000;
/** Limit of the text that a formula results in, in UTF-16 code units, unless the field has its own. */
export const DEFAULT_FORMULA_MAX_LENGTH = 10_000;
/** Years 1 to 9999, the range of dates that can be stored. */
const MIN_TIMESTAMP = Date.parse('0001-01-01T00:00:00.000Z');
const MAX_TIMESTAMP = Date.parse('9999-12-31T23:59:59.999Z');

/** A text of a calculation exceeds its limit. The message is shown to administrators of the site. */
export class FormulaLimitError extends Error {
  constructor(what: string, length: number, limit: number) {
    const [lengthText, limitText] = [length, limit].map((count) => count.toLocaleString('en'));
    super(`${what} has ${lengthText} characters; the limit is ${limitText}.`);
    this.name = 'FormulaLimitError';
  }
}

/**
 * A text within a calculation; null if it is empty.
 * @throws FormulaLimitError when it is too long: to calculate on without it would store a wrong value
 */
export function toText(text: string): string | null {
  if (text.length > MAX_INTERMEDIATE_LENGTH)
    throw new FormulaLimitError('A text in the calculation', text.length, MAX_INTERMEDIATE_LENGTH);
  return text === '' ? null : text;
}

/** A timestamp that can be stored; null if it is out of range. */
export const toTimestamp = (timestamp: number): number | null =>
  timestamp >= MIN_TIMESTAMP && timestamp <= MAX_TIMESTAMP ? Math.trunc(timestamp) : null;

/** A timestamp or day as it is stored. */
export const formatDate = (timestamp: number, type: 'date' | 'day'): string =>
  type === 'day' ? new Date(timestamp).toISOString().slice(0, 10) : new Date(timestamp).toISOString();

/** The properties of a calculated field that decide how its result is stored. */
export type ResultField = Pick<FormulaField, 'fieldType' | 'isDateOnly' | 'formulaMaxLength'>;

/**
 * Converts the result of a formula to the stored value of the field; undefined for no data.
 * @throws FormulaLimitError for a text longer than the field allows
 */
export function toStoredResult(field: ResultField, value: Value): string | number | boolean | undefined {
  if (value === null || typeof value === 'object') return undefined;
  if (field.fieldType === FIELD.date)
    return typeof value === 'number' ? formatDate(value, field.isDateOnly ? 'day' : 'date') : undefined;
  const maxLength = field.formulaMaxLength ?? DEFAULT_FORMULA_MAX_LENGTH;
  if (typeof value === 'string' && value.length > maxLength)
    throw new FormulaLimitError('The result', value.length, maxLength);
  return value === '' ? undefined : value;
}
