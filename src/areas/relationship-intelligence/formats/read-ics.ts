/** Calendars (RFC 5545): events become meetings, recurring ones a meeting for each occurrence of the period. */
import ICAL from 'ical.js';
import { resolveTimeZone } from '../../../../contract/rules/dates/time-zones.ts';
import { fromWallTimeNearest, toWallTime } from '../../../../contract/rules/dates/wall-time.ts';
import type { OnBytes } from '../../../files/read-chunks.ts';
import type { Address, Mend, RawItem, ReadRow } from './items.ts';
import { readLines } from './text-stream.ts';

/** Occurrences outside it are not expanded, in milliseconds since 1970. */
export interface CalendarPeriod {
  from: number;
  to: number;
}

/** Most occurrences of one event: two a day for a year. */
const MAX_OCCURRENCES = 730;
/** Most steps from the first occurrence to the period: an event every day for 54 years. */
const MAX_STEPS = 20_000;
/** Longest event, its attendees included; the rest of the file is read on. */
const MAX_EVENT_LINES = 200_000;
/** Most recurring events that wait for their exceptions, which may stand anywhere in the file. */
const MAX_RECURRING = 100_000;

interface Occurrence {
  start: ICAL.Time;
  end: ICAL.Time | undefined;
}

/** Time zones that the file defines itself, by name. */
type FileZones = ReadonlyMap<string, ICAL.Timezone>;

const toWall = (time: ICAL.Time): number =>
  Date.UTC(time.year, time.month - 1, time.day, time.hour, time.minute, time.second);

/** Converts a time of a calendar. A zone is one that the file defines, one of the browser, or UTC, which `mends` then says. */
function toMilliseconds(
  time: ICAL.Time,
  zoneName: string | undefined,
  zones: FileZones,
  mends: Set<Mend>,
): number {
  const wall = toWall(time);
  if (time.zone === ICAL.Timezone.utcTimezone) return wall;
  const zone = zoneName === undefined ? undefined : resolveTimeZone(zoneName);
  if (zone !== undefined) return fromWallTimeNearest(wall, zone);
  const defined = zoneName === undefined ? undefined : zones.get(zoneName);
  if (defined) return wall - defined.utcOffset(time) * 1000;
  if (!time.isDate) mends.add('zoneAssumed');
  return wall;
}

/**
 * A time in UTC as that of a zone without its name: `ical.js` compares the times of a recurrence as they stand, and programs write the end
 * of a rule and its exceptions in UTC although the event has a zone. Other times stay.
 */
function toZone(time: ICAL.Time, zoneName: string | undefined, zones: FileZones): ICAL.Time {
  if (time.zone !== ICAL.Timezone.utcTimezone || zoneName === undefined) return time;
  const zone = resolveTimeZone(zoneName);
  const defined = zones.get(zoneName);
  let wall: number;
  if (zone !== undefined) wall = toWallTime(toWall(time), zone);
  else if (defined) wall = toWall(time.convertToZone(defined));
  else return time;
  const date = new Date(wall);
  return ICAL.Time.fromData({
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
    isDate: false,
  });
}

const getZoneName = (component: ICAL.Component, property: string): string | undefined => {
  const name = component.getFirstProperty(property)?.getFirstParameter('tzid');
  return name === '' ? undefined : name;
};

const toAddress = (property: ICAL.Property): Address => {
  const value = String(property.getFirstValue() ?? '');
  const email = property.getFirstParameter('email');
  const name = property.getFirstParameter('cn') ?? '';
  const address = typeof email === 'string' && email !== '' ? email : value.replace(/^mailto:/i, '');
  // Calendars repeat the address as the name where there is none.
  return { address, name: name === address ? '' : name };
};

class EventReader {
  readonly #period: CalendarPeriod;
  readonly #zones = new Map<string, ICAL.Timezone>();
  readonly #recurring: { lines: readonly string[]; row: number }[] = [];
  /** Starts of occurrences that have an event of their own, in milliseconds since 1970, by uid. */
  readonly #exceptions = new Map<string, Set<number>>();
  #row = 0;

  constructor(period: CalendarPeriod) {
    this.#period = period;
  }

  addZone(lines: readonly string[]): void {
    try {
      const zone = new ICAL.Timezone(parseComponent(lines, 'vtimezone'));
      this.#zones.set(zone.tzid, zone);
    } catch {
      // Events of a zone that cannot be read are read in UTC, and say so.
    }
  }

  *read(lines: readonly string[]): Generator<ReadRow> {
    const row = (this.#row += 1);
    const isRecurring = lines.some((line) => /^(?:RRULE|RDATE)[;:]/i.test(line));
    if (isRecurring && this.#recurring.length < MAX_RECURRING) this.#recurring.push({ lines, row });
    else yield* this.#expand(lines, row);
  }

  breakRow(reason: string): ReadRow {
    return { row: (this.#row += 1), reason };
  }

  *finish(): Generator<ReadRow> {
    for (const { lines, row } of this.#recurring) yield* this.#expand(lines, row);
    if (this.#row === 0) yield this.breakRow('The file has no events');
  }

  *#expand(lines: readonly string[], row: number): Generator<ReadRow> {
    try {
      yield* this.#expandEvent(parseComponent(lines, 'vevent'), row);
    } catch (thrown) {
      yield {
        row,
        reason: `The event cannot be read: ${thrown instanceof Error ? thrown.message : 'unknown'}`,
      };
    }
  }

  *#expandEvent(component: ICAL.Component, row: number): Generator<ReadRow> {
    const event = new ICAL.Event(component);
    const uid = String(component.getFirstPropertyValue('uid') ?? '');
    const label = uid === '' ? undefined : uid;
    const recurrenceId = component.getFirstPropertyValue('recurrence-id');
    if (recurrenceId instanceof ICAL.Time) {
      const zone = getZoneName(component, 'recurrence-id');
      const starts = this.#exceptions.get(uid) ?? new Set();
      this.#exceptions.set(uid, starts.add(toMilliseconds(recurrenceId, zone, this.#zones, new Set())));
    }
    if (String(component.getFirstPropertyValue('status') ?? '').toUpperCase() === 'CANCELLED') {
      yield { row, reason: 'The meeting was cancelled', label };
      return;
    }
    const start = component.getFirstProperty('dtstart');
    if (!start || !(start.getFirstValue() instanceof ICAL.Time)) {
      yield { row, reason: 'Has no date', label };
      return;
    }
    if (recurrenceId instanceof ICAL.Time) {
      yield this.#toItem(event, row, uid, { start: event.startDate, end: getEnd(event) }, recurrenceId);
      return;
    }
    if (!event.isRecurring()) {
      yield this.#toItem(event, row, uid, { start: event.startDate, end: getEnd(event) });
      return;
    }
    yield* this.#expandOccurrences(event, row, uid);
  }

  /** Converts the times of a recurrence to the zone in which the event starts, and adds the start to single dates: `ical.js` leaves it out. */
  #alignRecurrence({ component, startDate }: ICAL.Event): void {
    const zone = getZoneName(component, 'dtstart');
    const rules = component.getAllProperties('rrule');
    if (rules.length === 0) component.addPropertyWithValue('rdate', startDate);
    for (const property of rules) {
      const rule = property.getFirstValue();
      if (rule instanceof ICAL.Recur && rule.until) rule.until = toZone(rule.until, zone, this.#zones);
    }
    for (const name of ['exdate', 'rdate'])
      for (const property of component.getAllProperties(name)) {
        const times = property
          .getValues()
          .map((value) => (value instanceof ICAL.Period ? value.start : value));
        property.setValues(
          times.map((time) => (time instanceof ICAL.Time ? toZone(time, zone, this.#zones) : time)),
        );
      }
  }

  *#expandOccurrences(event: ICAL.Event, row: number, uid: string): Generator<ReadRow> {
    this.#alignRecurrence(event);
    const exceptions = this.#exceptions.get(uid);
    const duration = getEnd(event)?.subtractDate(event.startDate);
    const iterator = event.iterator();
    let steps = 0;
    let occurrences = 0;
    for (let time = iterator.next(); time; time = iterator.next()) {
      steps += 1;
      const end = time.clone();
      if (duration) end.addDuration(duration);
      const item = this.#toItem(event, row, uid, { start: time, end: duration && end }, time);
      const { date = 0 } = item;
      if (date > this.#period.to) break;
      const isLast = steps >= MAX_STEPS || occurrences + 1 >= MAX_OCCURRENCES;
      if (date >= this.#period.from && exceptions?.has(date) !== true) {
        occurrences += 1;
        yield isLast ? { ...item, mends: [...(item.mends ?? []), 'occurrencesLimited'] } : item;
      }
      if (isLast) break;
    }
    if (occurrences === 0) yield { row, reason: 'No occurrence is in the imported period', label: uid };
  }

  #toItem(
    event: ICAL.Event,
    row: number,
    uid: string,
    { start, end }: Occurrence,
    recurrenceId?: ICAL.Time,
  ): RawItem {
    const { component } = event;
    const mends = new Set<Mend>();
    const convert = (time: ICAL.Time, property: string) =>
      toMilliseconds(time, getZoneName(component, property), this.#zones, mends);
    const endProperty = component.getFirstProperty('dtend') ? 'dtend' : 'dtstart';
    const modified =
      component.getFirstPropertyValue('last-modified') ?? component.getFirstPropertyValue('dtstamp');
    const organizer = component.getFirstProperty('organizer');
    const occurrence = recurrenceId ? new Date(toWall(recurrenceId)).toISOString().slice(0, 19) : undefined;
    return {
      kind: 'meetings',
      row,
      uniqueId: uid === '' || occurrence === undefined ? uid : `${uid}/${occurrence}`,
      date: convert(start, 'dtstart'),
      ...(modified instanceof ICAL.Time && { modified: toWall(modified) }),
      ...(end && { end: convert(end, endProperty) }),
      from: organizer ? toAddress(organizer) : undefined,
      to: component.getAllProperties('attendee').map(toAddress),
      cc: [],
      mends: [...mends],
    };
  }
}

/** End of an event; undefined where the file gives neither an end nor a duration. */
function getEnd(event: ICAL.Event): ICAL.Time | undefined {
  const hasEnd = ['dtend', 'duration'].some((name) => event.component.getFirstProperty(name));
  return hasEnd || event.startDate.isDate ? event.endDate : undefined;
}

function parseComponent(lines: readonly string[], name: 'vevent' | 'vtimezone'): ICAL.Component {
  const parsed: unknown = ICAL.parse(`BEGIN:VCALENDAR\r\n${lines.join('\r\n')}\r\nEND:VCALENDAR`);
  const calendar = new ICAL.Component(parsed as ConstructorParameters<typeof ICAL.Component>[0]);
  const component = calendar.getFirstSubcomponent(name);
  if (!component) throw new Error('it is incomplete');
  return component;
}

/** Reads a calendar event by event, so that one that is broken loses nothing but itself. */
export async function* readIcs(
  file: Blob,
  onBytes: OnBytes,
  period: CalendarPeriod,
): AsyncGenerator<ReadRow> {
  const reader = new EventReader(period);
  let lines: string[] | undefined;
  let block: 'VEVENT' | 'VTIMEZONE' | undefined;
  for await (const line of readLines(file, onBytes)) {
    const begin = /^BEGIN:(VEVENT|VTIMEZONE)\s*$/i.exec(line)?.[1]?.toUpperCase();
    if (begin === 'VEVENT' || begin === 'VTIMEZONE') {
      if (block === 'VEVENT') yield reader.breakRow('The event has no end');
      block = begin;
      lines = [];
    }
    if (lines && lines.length < MAX_EVENT_LINES) lines.push(line);
    if (!lines || !new RegExp(`^END:${block}\\s*$`, 'i').test(line)) continue;
    if (block === 'VTIMEZONE') reader.addZone(lines);
    else yield* reader.read(lines);
    [block, lines] = [undefined, undefined];
  }
  if (block === 'VEVENT') yield reader.breakRow('The event has no end');
  yield* reader.finish();
}
