import { fromWallTime } from '../../../../contract/rules/dates/wall-time.ts';
import { findNumberLoss } from '../../../../contract/rules/json/numbers.ts';
import { FIELD, holdsMoney, isIdField } from '../../../../contract/rules/schema/fields.ts';
import { TOO_LONG_PLACEHOLDER } from '../../../../contract/rules/tables/cells.ts';
import { parseNameList } from '../../../../contract/rules/tables/name-list.ts';
import type { RowError } from '../../../files/import-plan/plan.ts';
import { quoteExcerpt, parseSwitch } from '../../../files/table/cell-values.ts';
import type { ParseResult } from '../../../files/table/cell-values.ts';
import type { FileRow } from '../../../files/table/table.ts';
import type { Field } from '../model/schema.ts';
import { findByText, normalizeName, parseId } from './name-index.ts';
import type { NameIndex } from './name-index.ts';
import type { StoredValue, Amount } from './stored-values.ts';
import type { Columns, FieldColumns } from './targets.ts';

/** How cells are parsed. */
export interface ParseRules {
  decimal: 'point' | 'comma';
  /** Order of day and month in dates that do not start with the year. */
  dates: 'dmy' | 'mdy';
  /** Time zone of timestamps without an offset. */
  zone: string;
  /** Effect of an empty cell. */
  empty: 'keep' | 'clear';
  /** Handling of names nearly equal to others. */
  near: 'refuse' | 'allow';
  /** Handling of names that are no choices of their field yet. */
  choices: 'add' | 'refuse';
}

/** Cells of a field in a row. */
interface Cells {
  value: string;
  id: string;
  currency: string;
}

/** Value for a field; `errorUnlessUnchanged` applies unless the entry already holds it. */
interface TargetValue {
  value: StoredValue;
  errorUnlessUnchanged?: string;
}

// Limits of the service (shapes 4).
const MAX_TEXT_LENGTH = 1_000_000;
const MAX_NAME_LENGTH = 1000;
const MAX_VALUES = 1000;

const toTargetValue = (read: ParseResult<StoredValue>): ParseResult<TargetValue> =>
  'error' in read ? read : { value: { value: read.value } };

/** Noun for the items a field can name. */
const getItemNoun = ({ fieldType }: Field): string =>
  fieldType === FIELD.choice ? 'choice' : fieldType === FIELD.user ? 'user' : 'entry';

/** Parses the non-empty cells of a field; `book` contains the items it can name. */
function parseCells(
  cells: Cells,
  field: Field,
  rules: ParseRules,
  nameIndex: NameIndex,
): ParseResult<TargetValue> {
  const { fieldType } = field;
  if (isIdField(fieldType)) return parseItems(cells, field, nameIndex);
  if (fieldType === FIELD.text) return toTargetValue(parseText(cells.value, field));
  if (fieldType === FIELD.boolean) return toTargetValue(parseSwitch(cells.value));
  if (fieldType === FIELD.date)
    return toTargetValue(
      field.isDateOnly ? parseDate(cells.value, rules) : parseTimestamp(cells.value, rules),
    );
  return toTargetValue(
    holdsMoney(field) ? parseAmount(cells.value, cells.currency, rules) : parseNumber(cells.value, rules),
  );
}

/** The service refuses U+0000 and halves of characters. @returns whether it takes the text */
export const isStorableText = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

function parseText(value: string, { isKey }: Field): ParseResult<string> {
  const most = isKey ? MAX_NAME_LENGTH : MAX_TEXT_LENGTH;
  if (value.length > most) return { error: `Has ${value.length} characters; the maximum is ${most}` };
  return isStorableText(value) ? { value } : { error: 'Has a character that cannot be stored' };
}

const ID_LIST = /[;,\s]+/;

function parseItems(cells: Cells, field: Field, nameIndex: NameIndex): ParseResult<TargetValue> {
  const what = getItemNoun(field);
  const names = field.isMultiSelect
    ? parseNameList(cells.value)
    : [cells.value].filter((one) => one.trim() !== '');
  const ids = cells.id.trim() === '' ? [] : cells.id.trim().split(ID_LIST);
  const found =
    ids.length > 0
      ? ids.map((id) => findById(id, nameIndex, what))
      : names.map((name) => findByText(name, nameIndex, what));
  const errors = found.flatMap((one) => ('error' in one ? [one.error] : []));
  if (errors.length > 0) return { error: errors.join('. ') };
  const all = found.flatMap((one) => ('value' in one ? [one.value] : []));
  if (ids.length > 0) {
    const error = findNameMismatch(names, all, nameIndex);
    if (error !== undefined) return { error };
  }
  if (!field.isMultiSelect && all.length > 1)
    return { error: `Contains ${all.length} values; the field holds one` };
  if (all.length > MAX_VALUES)
    return { error: `Contains ${all.length} values; the maximum is ${MAX_VALUES}` };
  const unknown = all.filter(({ isKnown }) => !isKnown).map(({ id }) => id);
  const value = [...new Set(all.map(({ id }) => id))];
  return {
    value: {
      value: field.isMultiSelect ? value : (value[0] ?? 0),
      ...(unknown.length > 0 && { errorUnlessUnchanged: `There is no ${what} ${unknown.join(', ')}` }),
    },
  };
}

function findById(
  text: string,
  nameIndex: NameIndex,
  what: string,
): ParseResult<{ id: number; isKnown: boolean }> {
  const read = parseId(text, what);
  return 'error' in read ? read : { value: { id: read.value, isKnown: nameIndex.byId.has(read.value) } };
}

/** Checks ids against names: ids take precedence, so a name changed alone must not be ignored. */
function findNameMismatch(
  names: readonly string[],
  found: readonly { id: number }[],
  nameIndex: NameIndex,
): string | undefined {
  const things = found.flatMap(({ id }) => nameIndex.byId.get(id) ?? []);
  // Names of deleted items are unknown.
  if (names.length === 0 || things.length < found.length) return undefined;
  const text = new Set(names.map(normalizeName));
  const areAllNamed = things.every(
    ({ name, alias }) =>
      name.trim() === '' ||
      text.has(normalizeName(name)) ||
      (alias !== undefined && text.has(normalizeName(alias))),
  );
  const existing = new Set(
    things.flatMap(({ name, alias }) => [
      normalizeName(name),
      ...(alias === undefined ? [] : [normalizeName(alias)]),
    ]),
  );
  const unmatchedName = names.find((name) => !existing.has(normalizeName(name)));
  if (areAllNamed && unmatchedName === undefined) return undefined;
  const [first] = things;
  return unmatchedName === undefined
    ? `Ids and names do not match`
    : `${quoteExcerpt(unmatchedName)} does not match the id: ${first?.id} is ${quoteExcerpt(first?.name ?? '')}. Clear the id to use the name`;
}

const YEAR_FIRST = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})/;
const YEAR_LAST = /^(\d{1,2})[-/.]\s?(\d{1,2})[-/.]\s?(\d{4})/;
const TIME_OF_DAY =
  /^(?:T|,?\s+)(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s*(am|pm)?\s*(Z|UTC|[+-]\d{2}:?\d{2})?$/i;

/** Parses the date at the start of a text. @returns the day and the rest of the text */
function parseDay(text: string, dates: ParseRules['dates']): { day: number; rest: string } | undefined {
  const iso = YEAR_FIRST.exec(text);
  const yearLast = iso ? null : YEAR_LAST.exec(text);
  const [whole = '', ...parts] = iso ?? yearLast ?? [];
  const [a = 0, b = 0, c = 0] = parts.map(Number);
  if (whole === '') return undefined;
  const [year, month, date] = iso ? [a, b, c] : dates === 'dmy' ? [c, b, a] : [c, a, b];
  const day = new Date(0);
  day.setUTCFullYear(year, month - 1, date);
  const exists = day.getUTCFullYear() === year && day.getUTCMonth() === month - 1 && year > 0;
  return exists ? { day: day.getTime(), rest: text.slice(whole.length) } : undefined;
}

interface TimeOfDay {
  /** Milliseconds since midnight. */
  timeMs: number;
  /** Undefined if the text has none. */
  offsetMinutes: number | undefined;
}

function parseOffset(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[+-]/.test(text)) return 0;
  const digits = text.replace(':', '');
  const minutes = Number(digits.slice(1, 3)) * 60 + Number(digits.slice(3));
  return digits.startsWith('-') ? -minutes : minutes;
}

function parseTimeOfDay(text: string): TimeOfDay | undefined {
  if (text.trim() === '') return { timeMs: 0, offsetMinutes: undefined };
  const found = TIME_OF_DAY.exec(text);
  if (!found) return undefined;
  const [, hours = '', minutes = '', seconds = '0', fraction = '0', half, zone] = found;
  const writtenHour = Number(hours);
  const hour = half === undefined ? writtenHour : (writtenHour % 12) + (half.toLowerCase() === 'pm' ? 12 : 0);
  if (hour > 23 || Number(minutes) > 59 || Number(seconds) > 59) return undefined;
  const milliseconds = Math.floor(Number(`0.${fraction}`) * 1000);
  const time = ((hour * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 + milliseconds;
  return { timeMs: time, offsetMinutes: parseOffset(zone) };
}

/** Parses a date: `2026-03-01`, or day and month in the chosen order. */
export function parseDate(text: string, { dates }: Pick<ParseRules, 'dates'>): ParseResult<string> {
  const found = parseDay(text.trim(), dates);
  const clock = found && parseTimeOfDay(found.rest);
  if (!found || !clock) return { error: `${quoteExcerpt(text)} is not a date` };
  if (clock.timeMs !== 0) return { error: `${quoteExcerpt(text)} has a time of day; this field holds dates` };
  return { value: new Date(found.day).toISOString().slice(0, 10) };
}

/** Parses a timestamp; without an offset it is in the chosen time zone. */
export function parseTimestamp(
  text: string,
  { dates, zone }: Pick<ParseRules, 'dates' | 'zone'>,
): ParseResult<string> {
  const found = parseDay(text.trim(), dates);
  const clock = found && parseTimeOfDay(found.rest);
  if (!found || !clock) return { error: `${quoteExcerpt(text)} is not a date` };
  const wall = found.day + clock.timeMs;
  const moment =
    clock.offsetMinutes === undefined ? fromWallTime(wall, zone) : wall - clock.offsetMinutes * 60_000;
  if (moment === undefined)
    return { error: `${quoteExcerpt(text)} is skipped by the clock change in ${zone}` };
  const value = new Date(moment).toISOString();
  return /^\d{4}-/.test(value) && !value.startsWith('0000')
    ? { value }
    : { error: `${quoteExcerpt(text)} is not within the years 1 to 9999` };
}

// Notation of programs and workbooks.
const CANONICAL = /^[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?$/i;
// No group starts with a zero: 0,125 is never 125.
const GROUPED_WITH_COMMAS = /^[+-]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?$/;
const DECIMAL_COMMA = /^[+-]?(?:\d+|[1-9]\d{0,2}(?:[. ]\d{3})+)(?:,\d+)?$/;

/** Parses a number: `1,234.5`, or `1.234,5` with decimal commas. */
export function parseNumber(
  text: string,
  { decimal }: Pick<ParseRules, 'decimal'>,
  message = `${quoteExcerpt(text)} is not a number`,
): ParseResult<number> {
  const plain = text
    .trim()
    .replaceAll(/[\u00a0\u202f\u2009']/g, decimal === 'comma' ? ' ' : '')
    .replace('−', '-');
  const error = { error: message };
  if (decimal === 'comma') {
    if (DECIMAL_COMMA.test(plain))
      return toFiniteNumber(plain.replaceAll(/[. ]/g, '').replace(',', '.'), error);
    return CANONICAL.test(plain) && !/^[+-]?[1-9]\d*\.\d{3}$/.test(plain)
      ? toFiniteNumber(plain, error)
      : error;
  }
  if (CANONICAL.test(plain)) return toFiniteNumber(plain, error);
  return GROUPED_WITH_COMMAS.test(plain) ? toFiniteNumber(plain.replaceAll(',', ''), error) : error;
}

function toFiniteNumber(text: string, error: { error: string }): ParseResult<number> {
  const loss = findNumberLoss(text);
  if (loss !== undefined) return { error: loss };
  const value = Number(text);
  // The service stores no negative zero.
  return Number.isFinite(value) ? { value: value + 0 } : error;
}

const CODE_FIRST = /^([A-Z]{3})\s*(\S.*)$/;
const CODE_LAST = /^(.*\S)\s*([A-Z]{3})$/;

/** Parses an amount with an optional currency before or after: `EUR 12.50`. */
export function parseAmount(
  text: string,
  currency: string,
  rules: Pick<ParseRules, 'decimal'>,
): ParseResult<Amount> {
  const plain = text.trim();
  const [, code, rest] = CODE_FIRST.exec(plain) ?? [];
  const [, before, last] = CODE_LAST.exec(plain) ?? [];
  const currencyInText = code ?? last;
  const read = parseNumber(rest ?? before ?? plain, rules, `${quoteExcerpt(text)} is not an amount`);
  if ('error' in read) return read;
  const other = currency.trim().toUpperCase();
  if (other !== '' && !/^[A-Z]{3}$/.test(other))
    return { error: `${quoteExcerpt(currency)} is not a currency: use its code, such as EUR` };
  if (currencyInText !== undefined && other !== '' && currencyInText !== other)
    return { error: `${quoteExcerpt(text)} is not in ${other}, unlike the currency column` };
  return { value: { value: read.value, currencyCode: currencyInText ?? (other === '' ? undefined : other) } };
}

/** Values that a row sets. */
export interface RowTarget {
  row: number;
  entryId: number | undefined;
  /** Values by field id; undefined clears the field. Fields the row does not change are absent. */
  values: Map<number, TargetValue | undefined>;
  errors: RowError[];
}

/** Cells of a field and whether they are empty; text fields keep spaces. */
export function getFieldCells(cells: readonly string[], { field, value, id, currency }: FieldColumns) {
  const at = (place: number | undefined) => (place === undefined ? '' : (cells[place] ?? ''));
  const all: Cells = { value: at(value), id: at(id), currency: at(currency) };
  const isText = field.fieldType === FIELD.text;
  const isEmpty = isText ? all.value === '' : all.value.trim() === '' && all.id.trim() === '';
  return { all, isEmpty };
}

/** A cell with nothing but separators of a list. @returns whether the value is of such a cell */
const isEmptyList = ({ value }: TargetValue): boolean => Array.isArray(value) && value.length === 0;

/** Parses a row by its columns. */
export function parseRow(
  { row, cells, error }: FileRow,
  { entryId, fields }: Columns,
  rules: ParseRules,
  getIndex: (field: Field) => NameIndex,
): RowTarget {
  const target: RowTarget = { row, entryId: undefined, values: new Map(), errors: [] };
  if (error !== undefined) return { ...target, errors: [{ field: undefined, message: error }] };
  const idText = entryId === undefined ? '' : (cells[entryId] ?? '');
  if (idText.trim() !== '') {
    const read = parseId(idText, 'an entry');
    if ('error' in read) target.errors.push({ field: 'EntryId', message: read.error });
    else target.entryId = read.value;
  }
  for (const place of fields) {
    const { field } = place;
    const { all, isEmpty } = getFieldCells(cells, place);
    if (all.value === TOO_LONG_PLACEHOLDER) continue;
    if (isEmpty) {
      if (rules.empty === 'clear') target.values.set(field.id, undefined);
      continue;
    }
    const read = parseCells(all, field, rules, getIndex(field));
    if ('error' in read) target.errors.push({ field: field.apiName, message: read.error });
    else if (isEmptyList(read.value)) {
      if (rules.empty === 'clear') target.values.set(field.id, undefined);
    } else target.values.set(field.id, read.value);
  }
  return target;
}
