import { FIELD, holdsMoney, isIdField } from '../../../../contract/rules/fields.ts';
import { splitNames } from '../../../files/name-list.ts';
import { quoted, readSwitch } from '../../../files/read.ts';
import type { Read } from '../../../files/read.ts';
import type { Field } from '../model/schema.ts';
import { findNamed, keyOf, readIdNumber } from './book.ts';
import type { Book } from './book.ts';
import { readAmount, readNumber } from './read-number.ts';
import type { Rules } from './rules.ts';
import type { Held } from './stored.ts';
import { momentOf } from '../../../lib/zones.ts';

/** The cells of a field in a row. */
export interface Cells {
  value: string;
  id: string;
  currency: string;
}

/** What a field is to hold; `unless`: it cannot, except where it holds that already. */
export interface Wanted {
  held: Held;
  unless?: string;
}

// As the service has them (shapes 4).
const MOST_TEXT = 1_000_000;
const MOST_NAME = 1000;
const MOST_VALUES = 1000;

const plain = (read: Read<Held>): Read<Wanted> => ('fault' in read ? read : { value: { held: read.value } });

/** What the things that a field names are called. */
const whatOf = ({ fieldType }: Field): string =>
  fieldType === FIELD.choice ? 'choice' : fieldType === FIELD.user ? 'user' : 'entry';

/** Reads what the cells say, which are not empty; `book` has what the field can name. */
export function readCells(cells: Cells, field: Field, rules: Rules, book: Book): Read<Wanted> {
  const { fieldType } = field;
  if (isIdField(fieldType)) return readNamed(cells, field, book);
  if (fieldType === FIELD.text) return plain(readText(cells.value, field));
  if (fieldType === FIELD.boolean) return plain(readSwitch(cells.value));
  if (fieldType === FIELD.date)
    return plain(field.isDateOnly ? readDay(cells.value, rules) : readMoment(cells.value, rules));
  return plain(
    holdsMoney(field) ? readAmount(cells.value, cells.currency, rules) : readNumber(cells.value, rules),
  );
}

function readText(value: string, { isKey }: Field): Read<string> {
  const most = isKey ? MOST_NAME : MOST_TEXT;
  if (value.length > most) return { fault: `Has ${value.length} characters; at most ${most} are possible` };
  return value.includes('\0') ? { fault: 'Has a character that cannot be stored (U+0000)' } : { value };
}

const ID_LIST = /[;,\s]+/;

function readNamed(cells: Cells, field: Field, book: Book): Read<Wanted> {
  const what = whatOf(field);
  const names = field.isMultiSelect
    ? splitNames(cells.value)
    : [cells.value].filter((one) => one.trim() !== '');
  const ids = cells.id.trim() === '' ? [] : cells.id.trim().split(ID_LIST);
  const found =
    ids.length > 0 ? ids.map((id) => byId(id, book, what)) : names.map((name) => findNamed(name, book, what));
  const faults = found.flatMap((one) => ('fault' in one ? [one.fault] : []));
  if (faults.length > 0) return { fault: faults.join('. ') };
  const all = found.flatMap((one) => ('value' in one ? [one.value] : []));
  if (ids.length > 0) {
    const fault = otherNames(names, all, book);
    if (fault !== undefined) return { fault };
  }
  if (!field.isMultiSelect && all.length > 1) return { fault: `Names ${all.length}; the field holds one` };
  if (all.length > MOST_VALUES) return { fault: `Names ${all.length}; at most ${MOST_VALUES} are possible` };
  const unknown = all.filter(({ isKnown }) => !isKnown).map(({ id }) => id);
  const held = [...new Set(all.map(({ id }) => id))];
  return {
    value: {
      held: field.isMultiSelect ? held : (held[0] ?? 0),
      ...(unknown.length > 0 && { unless: `There is no ${what} ${unknown.join(', ')}` }),
    },
  };
}

function byId(text: string, book: Book, what: string): Read<{ id: number; isKnown: boolean }> {
  const read = readIdNumber(text, what);
  return 'fault' in read ? read : { value: { id: read.value, isKnown: book.byId.has(read.value) } };
}

/** Ids go before names, so what somebody changed in the names alone must not be passed over. */
function otherNames(
  names: readonly string[],
  found: readonly { id: number }[],
  book: Book,
): string | undefined {
  const things = found.flatMap(({ id }) => book.byId.get(id) ?? []);
  // Of what is gone nobody knows the name.
  if (names.length === 0 || things.length < found.length) return undefined;
  const said = new Set(names.map(keyOf));
  const isSaid = things.every(
    ({ name, also }) =>
      name.trim() === '' || said.has(keyOf(name)) || (also !== undefined && said.has(keyOf(also))),
  );
  const known = new Set(
    things.flatMap(({ name, also }) => [keyOf(name), ...(also === undefined ? [] : [keyOf(also)])]),
  );
  const stranger = names.find((name) => !known.has(keyOf(name)));
  if (isSaid && stranger === undefined) return undefined;
  const [first] = things;
  return stranger === undefined
    ? `The ids name others than the names do`
    : `${quoted(stranger)} is not called so by the id: ${first?.id} is ${quoted(first?.name ?? '')}. Clear the id to go by the name`;
}

const ISO = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})/;
const SPOKEN = /^(\d{1,2})[-/.]\s?(\d{1,2})[-/.]\s?(\d{4})/;
const CLOCK =
  /^(?:T|,?\s+)(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s*(am|pm)?\s*(Z|UTC|[+-]\d{2}:?\d{2})?$/i;

/** The day at the beginning of a text, and what follows it. */
function dayIn(text: string, dates: Rules['dates']): { day: number; rest: string } | undefined {
  const iso = ISO.exec(text);
  const spoken = iso ? null : SPOKEN.exec(text);
  const [whole = '', ...parts] = iso ?? spoken ?? [];
  const [a = 0, b = 0, c = 0] = parts.map(Number);
  if (whole === '') return undefined;
  const [year, month, date] = iso ? [a, b, c] : dates === 'dmy' ? [c, b, a] : [c, a, b];
  const day = new Date(0);
  day.setUTCFullYear(year, month - 1, date);
  const exists = day.getUTCFullYear() === year && day.getUTCMonth() === month - 1 && year > 0;
  return exists ? { day: day.getTime(), rest: text.slice(whole.length) } : undefined;
}

interface Clock {
  /** In milliseconds since midnight. */
  time: number;
  /** In minutes; undefined where the text names none. */
  offset: number | undefined;
}

function offsetOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[+-]/.test(text)) return 0;
  const digits = text.replace(':', '');
  const minutes = Number(digits.slice(1, 3)) * 60 + Number(digits.slice(3));
  return digits.startsWith('-') ? -minutes : minutes;
}

function clockIn(text: string): Clock | undefined {
  if (text.trim() === '') return { time: 0, offset: undefined };
  const found = CLOCK.exec(text);
  if (!found) return undefined;
  const [, hours = '', minutes = '', seconds = '0', fraction = '0', half, zone] = found;
  const said = Number(hours);
  const hour = half === undefined ? said : (said % 12) + (half.toLowerCase() === 'pm' ? 12 : 0);
  if (hour > 23 || Number(minutes) > 59 || Number(seconds) > 59) return undefined;
  const milliseconds = Math.floor(Number(`0.${fraction}`) * 1000);
  const time = ((hour * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 + milliseconds;
  return { time, offset: offsetOf(zone) };
}

/** A day: `2026-03-01`, or with day and month in the order of the rules. */
function readDay(text: string, { dates }: Rules): Read<string> {
  const found = dayIn(text.trim(), dates);
  const clock = found && clockIn(found.rest);
  if (!found || !clock) return { fault: `${quoted(text)} is no date` };
  if (clock.time !== 0) return { fault: `${quoted(text)} has a time of day; this field holds days` };
  return { value: new Date(found.day).toISOString().slice(0, 10) };
}

/** A moment; one that names no offset is meant in the zone of the rules. */
function readMoment(text: string, { dates, zone }: Rules): Read<string> {
  const found = dayIn(text.trim(), dates);
  const clock = found && clockIn(found.rest);
  if (!found || !clock) return { fault: `${quoted(text)} is no date` };
  const wall = found.day + clock.time;
  const moment = clock.offset === undefined ? momentOf(wall, zone) : wall - clock.offset * 60_000;
  if (moment === undefined) return { fault: `${quoted(text)} is an hour that clocks skip in ${zone}` };
  const value = new Date(moment).toISOString();
  return /^\d{4}-/.test(value) && !value.startsWith('0000')
    ? { value }
    : { fault: `${quoted(text)} is not within the years 1 to 9999` };
}
