import { expect, test } from 'vitest';
import {
  parseDateTimeField,
  parseWallIso,
  getStartOfDay,
  toDateTimeField,
  formatTimeZone,
} from './time-zones.ts';

const iso = (at: number) => new Date(at).toISOString();
const at = (text: string) => Date.parse(text);

test('a day begins by the clock of the zone', () => {
  expect(iso(getStartOfDay(at('2026-11-21T08:00:00Z'), 'UTC'))).toBe('2026-11-21T00:00:00.000Z');
  expect(iso(getStartOfDay(at('2026-11-21T02:00:00Z'), 'America/New_York'))).toBe('2026-11-20T05:00:00.000Z');
  expect(iso(getStartOfDay(at('2026-11-21T20:00:00Z'), 'Asia/Kolkata'))).toBe('2026-11-21T18:30:00.000Z');
});

test('a day on which the clock changes begins where it does', () => {
  // London: one o'clock is skipped on 29 March and comes twice on 25 October.
  expect(iso(getStartOfDay(at('2026-03-29T12:00:00Z'), 'Europe/London'))).toBe('2026-03-29T00:00:00.000Z');
  expect(iso(getStartOfDay(at('2026-10-25T12:00:00Z'), 'Europe/London'))).toBe('2026-10-24T23:00:00.000Z');
  // São Paulo skipped midnight itself: the day began at one.
  expect(iso(getStartOfDay(at('2018-11-04T15:00:00Z'), 'America/Sao_Paulo'))).toBe(
    '2018-11-04T03:00:00.000Z',
  );
});

test('what a field shows is what it is read as', () => {
  for (const zone of ['UTC', 'Asia/Kolkata', 'America/New_York', 'Europe/London']) {
    for (const text of ['2026-11-21T08:30', '2026-06-01T00:00', '2026-02-28T23:59']) {
      expect(toDateTimeField(parseDateTimeField(text, zone) ?? 0, zone)).toBe(text);
    }
  }
  expect(parseDateTimeField('', 'UTC')).toBeUndefined();
});

test.for(['5', 'May 2027', '2027-3-1', '2027-02-31T10:00', '2027-03-01T25:00', '2027-03-01'])(
  'reads no time from %s, of which the browser guesses one',
  (text) => {
    expect(parseDateTimeField(text, 'UTC')).toBeUndefined();
    expect(parseWallIso(text, 'UTC')).toBeUndefined();
  },
);

test('a zone is told with its distance to UTC', () => {
  expect(formatTimeZone('Europe/London', at('2026-07-01T00:00:00Z'))).toBe('Europe/London, UTC+1');
  expect(formatTimeZone('America/New_York', at('2026-01-01T00:00:00Z'))).toBe('America/New York, UTC-5');
  expect(formatTimeZone('UTC', 0)).toBe('UTC');
});

test('a zone that this runtime does not know is named without its distance', () => {
  expect(formatTimeZone('Mars/Olympus_Mons', 0)).toBe('Mars/Olympus Mons');
});
