import { quoted } from '../../import/read.ts';
import type { Read } from '../../import/read.ts';
import { momentOf } from '../../lib/zones.ts';
import type { Rules } from './rules.ts';

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
export function readDay(text: string, { dates }: Rules): Read<string> {
  const found = dayIn(text.trim(), dates);
  const clock = found && clockIn(found.rest);
  if (!found || !clock) return { fault: `${quoted(text)} is no date` };
  if (clock.time !== 0) return { fault: `${quoted(text)} has a time of day; this field holds days` };
  return { value: new Date(found.day).toISOString().slice(0, 10) };
}

/** A moment; one that names no offset is meant in the zone of the rules. */
export function readMoment(text: string, { dates, zone }: Rules): Read<string> {
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
