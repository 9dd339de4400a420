import type { FieldValue, FieldValueItem, NamedValue } from '../../../../contract/generated/types.gen.ts';
import { startsWithCalendarDay } from '../../../../contract/rules/dates/dates.ts';
import { foldText } from '../../../../contract/rules/fold-text.ts';
import { findNumberLoss } from '../../../../contract/rules/json/numbers.ts';
import { FIELD, holdsMoney } from '../../../../contract/rules/schema/fields.ts';
import { formatWallIso, parseWallIso } from '../../../lib/dates/time-zones.ts';
import type { Field } from '../model/schema.ts';
import { isMoney, toItems } from '../model/values.ts';
import { DATE_ONLY, DATE_TIME, getValueError } from './value-rules.ts';

/** Result of parsing a text for a field: a value, names that have to be looked up, or an error. */
export type ParsedInput =
  | { value: FieldValue | undefined }
  | { names: readonly string[] }
  | { error: string };

const PLAIN_NUMBER = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i;
const GROUPED_NUMBER = /^[-+]?\d{1,3}([, '’\u00a0\u202f]\d{3})+(\.\d+)?$/;
const AMBIGUOUS_NUMBER = /^[-+]?\d{1,3},\d{3}$/;

/** Parses a number with a decimal point, with or without thousands separators. */
export function parseNumber(text: string): number | { error: string } {
  if (AMBIGUOUS_NUMBER.test(text))
    return {
      error: `"${text}" is ambiguous: enter ${text.replace(',', '')} or ${text.replace(',', '.')}`,
    };
  const plain = GROUPED_NUMBER.test(text) ? text.replaceAll(/[, '’\u00a0\u202f]/g, '') : text;
  const loss = PLAIN_NUMBER.test(plain) ? findNumberLoss(plain) : undefined;
  if (loss !== undefined) return { error: loss };
  const number = PLAIN_NUMBER.test(plain) ? Number(plain) : Number.NaN;
  return Number.isFinite(number) ? number : { error: 'Enter a number with a decimal point, such as 1234.5' };
}

const AMOUNT = /^(?<before>[A-Za-z]{3})?\s*(?<amount>[^A-Za-z]+)\s*(?<after>[A-Za-z]{3})?$/;

/** Parses an amount with its currency before or after it; without one it keeps the currency of the current value. */
function parseMoney(text: string, currentValue: FieldValue | undefined): ParsedInput {
  const { before, amount = '', after } = AMOUNT.exec(text)?.groups ?? {};
  const [current] = toItems(currentValue);
  const currentCode = isMoney(current) ? current.currencyCode : undefined;
  const code = (before ?? after)?.toUpperCase() ?? currentCode;
  const value = parseNumber(amount.trim());
  if (typeof value !== 'number')
    return amount === '' ? { error: 'Enter an amount, such as 12.50 EUR' } : value;
  return code === undefined
    ? { error: 'Add the currency, such as 12.50 EUR' }
    : { value: { value, currencyCode: code } };
}

const LOCAL_DATE_TIME =
  /^(?<day>\d{4}-\d{2}-\d{2})(?:[T ]\s*(?<time>\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?))?$/;

/** Parses a date; a date and time without a zone are local time of the display zone. */
function parseDate(text: string, { isDateOnly }: Field, zone: string): ParsedInput {
  // Dates without time are stored as midnight in UTC.
  if (isDateOnly) return { value: DATE_ONLY.test(text) ? `${text}T00:00:00.000Z` : text };
  const { day = '', time = '00:00' } = LOCAL_DATE_TIME.exec(text)?.groups ?? {};
  if (day === '') {
    const date = DATE_TIME.test(text) && startsWithCalendarDay(text) ? new Date(text) : undefined;
    return date && !Number.isNaN(date.getTime())
      ? { value: date.toISOString() }
      : { error: 'Enter a date and time, such as 2026-03-01 08:00' };
  }
  if (!startsWithCalendarDay(day)) return { error: `${day} is not a valid date` };
  const value = parseWallIso(`${day}T${time}`, zone);
  return value === undefined
    ? { error: `${day} ${time} does not exist in ${zone}: clocks skip that hour` }
    : { value };
}

const YES = new Set(['yes', 'true', '1']);
const NO = new Set(['no', 'false', '0']);

function parseBoolean(text: string): ParsedInput {
  const lowerText = text.toLowerCase();
  if (YES.has(lowerText)) return { value: true };
  return NO.has(lowerText) ? { value: false } : { error: 'Enter yes or no' };
}

/** The Boolean that a key or typed text stands for: its first letter or digit; undefined for another. */
export function parseBooleanKey(text: string | undefined): boolean | undefined {
  const first = text?.length === 1 ? text.toLowerCase() : '';
  if (first !== '' && [...YES].some((word) => word.startsWith(first))) return true;
  return first !== '' && [...NO].some((word) => word.startsWith(first)) ? false : undefined;
}

/** Finds a choice by name, preferring an exact match over one that differs in case or accents. */
function findChoice(name: string, field: Field): NamedValue | undefined {
  const choices = field.choiceValues ?? [];
  const needle = foldText(name);
  return (
    choices.find((choice) => choice.name === name) ??
    choices.find((choice) => foldText(choice.name) === needle)
  );
}

const splitValues = (text: string): string[] =>
  text
    .split(/[;\n]/)
    .map((part) => part.trim())
    .filter((part) => part !== '');

function parseChoices(text: string, field: Field): ParsedInput {
  const choice = findChoice(text, field);
  if (choice) return { value: field.isMultiSelect ? [choice] : choice };
  if (!field.isMultiSelect) return { error: `${field.name} has no choice "${text}"` };
  const found = splitValues(text).map((name) => findChoice(name, field) ?? name);
  const unknown = found.find((item) => typeof item === 'string');
  return unknown === undefined
    ? { value: found.filter((item) => typeof item !== 'string') }
    : { error: `${field.name} has no choice "${unknown}"` };
}

function parseByType(
  text: string,
  field: Field,
  currentValue: FieldValue | undefined,
  zone: string,
): ParsedInput {
  if (holdsMoney(field)) return parseMoney(text, currentValue);
  if (field.fieldType === FIELD.boolean) return parseBoolean(text);
  if (field.fieldType === FIELD.date) return parseDate(text, field, zone);
  if (field.fieldType === FIELD.choice) return parseChoices(text, field);
  if (field.fieldType !== FIELD.number) return { names: field.isMultiSelect ? splitValues(text) : [text] };
  const value = parseNumber(text);
  return typeof value === 'number' ? { value } : value;
}

/**
 * Parses text typed or pasted into a field; an empty text is no data.
 * @param zone time zone in which dates are displayed
 */
export function parseInput(
  text: string,
  field: Field,
  currentValue: FieldValue | undefined,
  zone: string,
): ParsedInput {
  const trimmed = text.trim();
  if (trimmed === '') return { value: undefined };
  const parsed: ParsedInput =
    field.fieldType === FIELD.text ? { value: text } : parseByType(trimmed, field, currentValue, zone);
  if (!('value' in parsed)) return parsed;
  const error = getValueError(parsed.value, field);
  return error === undefined ? parsed : { error };
}

const DATE_CHARS = 'YYYY-MM-DD'.length;

function formatInputItem(item: FieldValueItem, field: Field, zone: string): string {
  if (item === null) return '';
  if (typeof item === 'boolean') return item ? 'Yes' : 'No';
  if (typeof item === 'number') return String(item);
  if (typeof item === 'object')
    return 'currencyCode' in item ? `${item.value} ${item.currencyCode}` : item.name;
  if (field.fieldType !== FIELD.date) return item;
  if (field.isDateOnly) return item.slice(0, DATE_CHARS);
  return formatWallIso(item, zone)
    .replace('T', ' ')
    .replace(/(:00)?\.000$/, '');
}

/** Formats a value as editable text; parsing it gives the same value. */
export const formatInput = (value: FieldValue | undefined, field: Field, zone: string): string =>
  toItems(value)
    .map((item) => formatInputItem(item, field, zone))
    .join('; ');
