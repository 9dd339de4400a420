import { beginsWithDay } from '../../../../contract/rules/days.ts';
import { FIELD, holdsMoney } from '../../../../contract/rules/fields.ts';
import type { FieldValue, FieldValueItem, NamedValue } from '../../../api/generated/types.gen.ts';
import { fold } from '../../../lib/fold.ts';
import { clockText, momentAt } from '../../../lib/zones.ts';
import type { Field } from '../model/schema.ts';
import { itemsOf } from '../model/values.ts';
import { DAY, MOMENT, valueFault } from './rules.ts';

/** What a text means in a field: a value, names that have to be looked up, or nothing that fits. */
export type Typed = { value: FieldValue | undefined } | { names: readonly string[] } | { fault: string };

const PLAIN = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i;
const GROUPED = /^[-+]?\d{1,3}([, '’\u00a0\u202f]\d{3})+(\.\d+)?$/;
const ONE_COMMA = /^[-+]?\d{1,3},\d{3}$/;

/** Reads a number: with a decimal point, with or without marks between thousands. */
function readNumber(text: string): number | { fault: string } {
  if (ONE_COMMA.test(text))
    return {
      fault: `"${text}" can be two numbers: write ${text.replace(',', '')} or ${text.replace(',', '.')}`,
    };
  const plain = GROUPED.test(text) ? text.replaceAll(/[, '’\u00a0\u202f]/g, '') : text;
  const number = PLAIN.test(plain) ? Number(plain) : Number.NaN;
  return Number.isFinite(number) ? number : { fault: 'Write a number with a decimal point, such as 1234.5' };
}

const AMOUNT = /^(?<before>[A-Za-z]{3})?\s*(?<amount>[^A-Za-z]+)\s*(?<after>[A-Za-z]{3})?$/;

/** An amount with its currency, which may stand before or after it; without one it keeps the currency it had. */
function readMoney(text: string, held: FieldValue | undefined): Typed {
  const { before, amount = '', after } = AMOUNT.exec(text)?.groups ?? {};
  const [had] = itemsOf(held);
  const hadCode =
    typeof had === 'object' && had !== null && 'currencyCode' in had ? had.currencyCode : undefined;
  const code = (before ?? after)?.toUpperCase() ?? hadCode;
  const value = readNumber(amount.trim());
  if (typeof value !== 'number')
    return amount === '' ? { fault: 'Write an amount, such as 12.50 EUR' } : value;
  return code === undefined
    ? { fault: 'Name the currency as well, such as 12.50 EUR' }
    : { value: { value, currencyCode: code } };
}

const CLOCK = /^(?<day>\d{4}-\d{2}-\d{2})(?:[T ]\s*(?<time>\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?))?$/;

/** A moment: where no zone is named, as a clock in the zone shows it in which dates are shown. */
function readDate(text: string, { isDateOnly }: Field, zone: string): Typed {
  // As a day is read: its midnight in UTC.
  if (isDateOnly) return { value: DAY.test(text) ? `${text}T00:00:00.000Z` : text };
  const { day = '', time = '00:00' } = CLOCK.exec(text)?.groups ?? {};
  if (day === '') {
    const moment = MOMENT.test(text) && beginsWithDay(text) ? new Date(text) : undefined;
    return moment && !Number.isNaN(moment.getTime())
      ? { value: moment.toISOString() }
      : { fault: 'Write a moment such as 2026-03-01 08:00' };
  }
  if (!beginsWithDay(day)) return { fault: `There is no day ${day}` };
  const value = momentAt(`${day}T${time}`, zone);
  return value === undefined
    ? { fault: `No clock shows ${day} ${time} in ${zone}: the hour is left out there` }
    : { value };
}

const YES = new Set(['yes', 'true', '1']);
const NO = new Set(['no', 'false', '0']);

function readBoolean(text: string): Typed {
  const word = text.toLowerCase();
  if (YES.has(word)) return { value: true };
  return NO.has(word) ? { value: false } : { fault: 'Write yes or no' };
}

/** A choice by its name; where names differ only in case, the one that is written the same. */
function choiceCalled(name: string, field: Field): NamedValue | undefined {
  const choices = field.choiceValues ?? [];
  const sought = fold(name);
  return (
    choices.find((choice) => choice.name === name) ?? choices.find((choice) => fold(choice.name) === sought)
  );
}

const several = (text: string): string[] =>
  text
    .split(/[;\n]/)
    .map((one) => one.trim())
    .filter((one) => one !== '');

function readChoices(text: string, field: Field): Typed {
  const whole = choiceCalled(text, field);
  if (whole) return { value: field.isMultiSelect ? [whole] : whole };
  if (!field.isMultiSelect) return { fault: `${field.name} offers no "${text}"` };
  const found = several(text).map((name) => choiceCalled(name, field) ?? name);
  const unknown = found.find((one) => typeof one === 'string');
  return unknown === undefined
    ? { value: found.filter((one) => typeof one !== 'string') }
    : { fault: `${field.name} offers no "${unknown}"` };
}

function readPlain(text: string, field: Field, held: FieldValue | undefined, zone: string): Typed {
  if (holdsMoney(field)) return readMoney(text, held);
  if (field.fieldType === FIELD.boolean) return readBoolean(text);
  if (field.fieldType === FIELD.date) return readDate(text, field, zone);
  if (field.fieldType === FIELD.choice) return readChoices(text, field);
  if (field.fieldType !== FIELD.number) return { names: field.isMultiSelect ? several(text) : [text] };
  const value = readNumber(text);
  return typeof value === 'number' ? { value } : value;
}

/** Reads what somebody typed or pasted into a field that holds something now; an empty text is no data. */
export function readTyped(text: string, field: Field, held: FieldValue | undefined, zone: string): Typed {
  const trimmed = text.trim();
  if (trimmed === '') return { value: undefined };
  const typed: Typed =
    field.fieldType === FIELD.text ? { value: text } : readPlain(trimmed, field, held, zone);
  if (!('value' in typed)) return typed;
  const fault = valueFault(typed.value, field);
  return fault === undefined ? typed : { fault };
}

const DAY_LENGTH = 'YYYY-MM-DD'.length;

function writeItem(item: FieldValueItem, field: Field, zone: string): string {
  if (item === null) return '';
  if (typeof item === 'boolean') return item ? 'Yes' : 'No';
  if (typeof item === 'number') return String(item);
  if (typeof item === 'object')
    return 'currencyCode' in item ? `${item.value} ${item.currencyCode}` : item.name;
  if (field.fieldType !== FIELD.date) return item;
  if (field.isDateOnly) return item.slice(0, DAY_LENGTH);
  return clockText(item, zone)
    .replace('T', ' ')
    .replace(/(:00)?\.000$/, '');
}

/** A value as it is typed, so that reading it again gives the same. */
export const toTyped = (value: FieldValue | undefined, field: Field, zone: string): string =>
  itemsOf(value)
    .map((item) => writeItem(item, field, zone))
    .join('; ');
