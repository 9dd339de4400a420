import { assert, constantFrom, date, integer, property, tuple } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseQueryObject } from '../../../contract/rules/query/parse.ts';
import { FIELD } from '../../../contract/rules/schema/fields.ts';
import { formatDate, parseDate, type DateTimeBehavior, type TimeZones } from './dates.ts';

const KIRITIMATI: TimeZones = { user: 'Pacific/Kiritimati', site: 'Pacific/Kiritimati' };
const ST_JOHNS: TimeZones = { user: 'America/St_Johns', site: 'America/St_Johns' };
const DIFFERENT_ZONES: TimeZones = { user: 'America/St_Johns', site: 'Pacific/Kiritimati' };

describe('date-time fields', () => {
  test.each<[string, DateTimeBehavior, TimeZones, string | undefined]>([
    ['2026-03-01T08:00:00Z', 0, DIFFERENT_ZONES, '2026-03-01T08:00:00.000Z'],
    ['2026-03-01T08:00:00.123999Z', 0, DIFFERENT_ZONES, '2026-03-01T08:00:00.123Z'],
    ['2026-03-01T08:00', 0, DIFFERENT_ZONES, '2026-03-01T08:00:00.000Z'],
    ['2026-03-01t08:00:00+14:00', 0, DIFFERENT_ZONES, '2026-02-28T18:00:00.000Z'],
    ['2026-03-01', 0, DIFFERENT_ZONES, '2026-03-01T00:00:00.000Z'],
    // A zone in the text applies whatever the behaviour.
    ['2026-03-01T08:00:00Z', 1, DIFFERENT_ZONES, '2026-03-01T08:00:00.000Z'],
    ['2026-03-01T08:00:00-05:00', 1, DIFFERENT_ZONES, '2026-03-01T13:00:00.000Z'],
    // Without one the user's zone applies, not the site's.
    ['2026-03-01T08:00:00', 1, DIFFERENT_ZONES, '2026-03-01T11:30:00.000Z'],
    ['2026-03-01', 1, DIFFERENT_ZONES, '2026-03-01T03:30:00.000Z'],
    ['2026-03-01T00:30:00', 1, KIRITIMATI, '2026-02-28T10:30:00.000Z'],
    // The clock in St John's moves from 02:00 to 03:00 on 8 March and from 02:00 to 01:00 on 1 November 2026.
    ['2026-03-08T01:59:00', 1, ST_JOHNS, '2026-03-08T05:29:00.000Z'],
    ['2026-03-08T02:30:00', 1, ST_JOHNS, '2026-03-08T06:00:00.000Z'],
    ['2026-03-08T03:00:00', 1, ST_JOHNS, '2026-03-08T05:30:00.000Z'],
    ['2026-11-01T01:30:00', 1, ST_JOHNS, '2026-11-01T04:00:00.000Z'],
    // Kiritimati crossed the date line and skipped 31 December 1994.
    ['1995-01-01T00:00:00', 1, KIRITIMATI, '1994-12-31T10:00:00.000Z'],
    // In Beirut, 29 March 2026 begins at 01:00.
    ['2026-03-29', 1, { user: 'Asia/Beirut', site: 'UTC' }, '2026-03-28T22:00:00.000Z'],
  ])('parses %s with behaviour %i in %j', (text, behavior, zones, stored) => {
    expect(parseDate(text, false, behavior, zones)).toBe(stored);
  });

  test.each<[string, DateTimeBehavior, TimeZones, string]>([
    ['2026-03-01T10:30:00.000Z', 0, DIFFERENT_ZONES, '2026-03-01T10:30:00.000Z'],
    ['2026-03-01T10:30:00.000Z', 1, DIFFERENT_ZONES, '2026-03-01T07:00:00.000-03:30'],
    ['2026-03-01T10:30:00.000Z', 1, KIRITIMATI, '2026-03-02T00:30:00.000+14:00'],
    ['2026-07-01T02:00:00.000Z', 1, ST_JOHNS, '2026-06-30T23:30:00.000-02:30'],
    ['2026-07-01T02:00:00.000Z', 1, { user: 'UTC', site: 'UTC' }, '2026-07-01T02:00:00.000+00:00'],
  ])('formats %s with behaviour %i in %j', (stored, behavior, zones, formatted) => {
    expect(formatDate(stored, false, behavior, zones)).toBe(formatted);
  });
});

describe('date-only fields', () => {
  test.each<[string, DateTimeBehavior, TimeZones, string]>([
    ['2026-03-01', 0, KIRITIMATI, '2026-03-01'],
    ['2026-03-01', 1, KIRITIMATI, '2026-03-01'],
    ['2026-03-01T23:59:59', 0, KIRITIMATI, '2026-03-01'],
    ['2026-03-01T00:30:00', 1, KIRITIMATI, '2026-03-01'],
    ['2026-03-01T23:59:59', 1, ST_JOHNS, '2026-03-01'],
    // Around midnight: on the site it is already the next day, or still the day before.
    ['2026-03-01T09:59:59Z', 1, KIRITIMATI, '2026-03-01'],
    ['2026-03-01T10:00:00Z', 1, KIRITIMATI, '2026-03-02'],
    ['2026-03-01T03:29:59Z', 1, ST_JOHNS, '2026-02-28'],
    ['2026-03-01T03:30:00Z', 1, ST_JOHNS, '2026-03-01'],
    ['2026-03-01T03:30:00Z', 1, DIFFERENT_ZONES, '2026-03-01'],
    ['2026-03-01T23:30:00-03:30', 0, ST_JOHNS, '2026-03-02'],
    ['2026-03-01T23:30:00-03:30', 1, ST_JOHNS, '2026-03-01'],
    ['0001-01-01', 1, ST_JOHNS, '0001-01-01'],
    ['9999-12-31', 1, KIRITIMATI, '9999-12-31'],
  ])('parses %s with behaviour %i in %j as %s', (text, behavior, zones, stored) => {
    expect(parseDate(text, true, behavior, zones)).toBe(stored);
  });

  test.each<[string, DateTimeBehavior, TimeZones, string]>([
    ['2026-03-01', 0, KIRITIMATI, '2026-03-01T00:00:00.000Z'],
    ['2026-03-01', 1, KIRITIMATI, '2026-03-01T00:00:00.000+14:00'],
    ['2026-03-01', 1, ST_JOHNS, '2026-03-01T00:00:00.000-03:30'],
    ['2026-07-01', 1, ST_JOHNS, '2026-07-01T00:00:00.000-02:30'],
    ['2026-03-01', 1, DIFFERENT_ZONES, '2026-03-01T00:00:00.000+14:00'],
    ['2026-03-29', 1, { user: 'UTC', site: 'Asia/Beirut' }, '2026-03-29T01:00:00.000+03:00'],
    // New York was 4:56:02 behind UTC.
    ['1850-07-01', 1, { user: 'UTC', site: 'America/New_York' }, '1850-07-01T00:00:02.000-04:56'],
  ])('formats %s with behaviour %i in %j as %s', (stored, behavior, zones, formatted) => {
    expect(formatDate(stored, true, behavior, zones)).toBe(formatted);
  });
});

test.each([
  '',
  'today',
  '2026-02-30',
  '2026-13-01',
  '2026-3-1',
  '0000-01-01',
  '2026-03-01T25:00:00Z',
  '2026-03-01T08:60:00Z',
  '2026-03-01T08:00:60Z',
  '2026-03-01T08:00:00+25:00',
  '2026-03-01T08:00:00[Europe/Berlin]',
  '2026-03-01T08:00:00Z[u-ca=hebrew]',
  '+002026-03-01',
  '0001-01-01T00:00:00+14:00',
  '9999-12-31T23:00:00-05:00',
])('rejects %j', (text) => {
  for (const isDateOnly of [true, false])
    for (const behavior of [0, 1] as const)
      expect([text, parseDate(text, isDateOnly, behavior, { user: 'UTC', site: 'UTC' })]).toEqual([
        text,
        undefined,
      ]);
});

const FIND_SEEN = () => ({
  id: 1,
  apiName: 'Seen',
  fieldType: FIELD.date,
  isMultiSelect: false,
  isMoney: false,
  isDateOnly: false,
});

test('operands of filters are the dates that can be written', () => {
  const text = tuple(
    constantFrom('0000', '0001', '2024', '2026', '9999'),
    constantFrom('-00-01', '-01-00', '-02-28', '-02-29', '-04-31', '-12-30', '-13-01'),
    constantFrom(
      '',
      't08:00',
      'T00:00',
      'T23:59',
      'T24:00',
      'T08:60',
      'T08:00:59',
      'T08:00:60',
      'T08:00:00.5',
    ),
    constantFrom('', 'Z', 'z', '+00:00', '-00:00', '+14:00', '-23:59', '+24:00', '+25:00', '+08:60', '+0800'),
  );
  const utc = { user: 'UTC', site: 'UTC' };
  assert(
    property(text, (parts) => {
      const written = parts.join('');
      expect([written, parseQueryObject({ Seen: written }, FIND_SEEN).condition !== undefined]).toEqual([
        written,
        parseDate(written, false, 0, utc) !== undefined,
      ]);
    }),
    { numRuns: 2_000 },
  );
});

describe('a formatted date parses to the stored one', () => {
  const zone = constantFrom(
    'Pacific/Kiritimati',
    'America/St_Johns',
    'Asia/Beirut',
    'Australia/Lord_Howe',
    'America/Havana',
    'Pacific/Apia',
    'Asia/Kathmandu',
    'UTC',
  );
  const behavior = constantFrom<DateTimeBehavior>(0, 1);
  const range = { min: new Date('1700-01-01'), max: new Date('2100-01-01'), noInvalidDate: true };

  test('date-time fields in every zone', () => {
    assert(
      property(date(range), behavior, zone, zone, (instant, behaviorValue, user, site) => {
        const stored = instant.toISOString();
        expect(
          parseDate(formatDate(stored, false, behaviorValue, { user, site }), false, behaviorValue, {
            user,
            site,
          }),
        ).toBe(stored);
      }),
    );
  });

  test('date-only fields in every zone', () => {
    assert(
      property(integer({ min: 0, max: 110_000 }), behavior, zone, zone, (days, behaviorValue, user, site) => {
        const stored = new Date(days * 86_400_000 - 6_000_000_000_000).toISOString().slice(0, 10);
        expect(
          parseDate(formatDate(stored, true, behaviorValue, { user, site }), true, behaviorValue, {
            user,
            site,
          }),
        ).toBe(stored);
      }),
    );
  });
});
