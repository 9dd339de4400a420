import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDateText, parseDateText } from './date-text.ts';

const NOW = Date.parse('2026-11-06T23:30:00Z');
const inLondon = (locale: string, kind: 'day' | 'time') =>
  ({ kind, locale, timeZone: 'Europe/London', now: NOW }) as const;
const berlin = { kind: 'time', locale: 'en-GB', timeZone: 'Europe/Berlin', now: NOW } as const;

describe('parseDateText', () => {
  it.each([
    ['en-GB', '2026-11-06'],
    ['en-GB', '6/11/2026'],
    ['en-GB', '6.11.26'],
    ['en-GB', '6 Nov 2026'],
    ['en-GB', 'Friday 6 November 2026'],
    ['en-GB', 'Nov 6, 2026'],
    ['en-GB', '6 nov'],
    ['en-GB', 'Today'],
    ['en-GB', '2026-11-06T00:00:00.000Z'],
    ['en-US', '11/6/2026'],
    ['en-US', 'November 6, 2026'],
    ['de-DE', '06.11.2026'],
    ['fr-FR', '6 novembre 2026'],
    ['es-ES', '6 de noviembre de 2026'],
    ['ja-JP', '2026年11月6日'],
    ['sv-SE', '2026/11/06'],
  ])('reads a day in %s: %s', (locale, text) =>
    expect(parseDateText(text, inLondon(locale, 'day'))).toBe('2026-11-06'),
  );

  it.each([
    ['2026-11-06 14:30', '2026-11-06T14:30'],
    ['2026-11-06T14:30:05', '2026-11-06T14:30:05'],
    ['2026-11-06', '2026-11-06T00:00'],
    ['6 Nov 2026, 2:30 pm', '2026-11-06T14:30'],
    ['6/11/2026 12:05 a.m.', '2026-11-06T00:05'],
    ['2026-11-06T13:30:00Z', '2026-11-06T14:30'],
    ['2026-11-06T08:30:00.250-05:00', '2026-11-06T14:30:00.250'],
    ['now', '2026-11-07T00:30'],
    ['tomorrow', '2026-11-08T00:00'],
  ])('reads a time in the zone of the field: %s', (text, value) =>
    expect(parseDateText(text, berlin)).toBe(value),
  );

  it.each([
    '',
    'soon',
    '31/2/2026',
    '6 Foo 2026',
    '11/2026',
    'Nov 2026',
    '6 Nov 2026 12',
    '2026-13-01',
    '20261106',
  ])('rejects %s', (text) => expect(parseDateText(text, inLondon('en-GB', 'day'))).toBeUndefined());

  it.each(['6 Nov 2026 25:00', '6 Nov 2026 13:00 pm', '6 Nov 2026 10:75', '14:30'])(
    'rejects the time %s',
    (text) => expect(parseDateText(text, berlin)).toBeUndefined(),
  );

  it('rejects a time in a field of days', () =>
    expect(parseDateText('6 Nov 2026, 14:30', inLondon('en-GB', 'day'))).toBeUndefined());
});

describe('formatDateText', () => {
  it.each([
    ['en-GB', 'day', '2026-11-06', '6 Nov 2026'],
    ['en-GB', 'time', '2026-11-06T14:30', '6 Nov 2026, 14:30'],
    ['en-GB', 'time', '2026-11-06T14:30:05', '6 Nov 2026, 14:30:05'],
    ['en-US', 'time', '2026-11-06T14:30', 'Nov 6, 2026, 2:30 PM'],
    ['de-DE', 'day', '2026-11-06', '6. Nov. 2026'],
    // The calendar of the locale counts other years.
    ['th-TH', 'day', '2026-11-06', '2026-11-06'],
    ['en-GB', 'time', '2026-11-06T14:30:05.250', '2026-11-06 14:30:05.250'],
    ['en-GB', 'day', 'soon', 'soon'],
    ['en-GB', 'day', '', ''],
  ] as const)('formats in %s a %s: %s', (locale, kind, value, text) =>
    expect(formatDateText(value, inLondon(locale, kind)).normalize('NFKC')).toBe(text),
  );

  it('is read again as the same value in every locale', () => {
    const locales = [
      'en-GB',
      'en-US',
      'de-DE',
      'fr-CA',
      'es-MX',
      'pt-BR',
      'ja-JP',
      'ko-KR',
      'ar-EG',
      'fa-IR',
      'hu-HU',
    ];
    const minutes = fc.date({
      min: new Date('1900-01-01'),
      max: new Date('2200-01-01'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(
        minutes,
        fc.constantFrom(...locales),
        fc.constantFrom('day', 'time'),
        (date, locale, kind) => {
          const value = date.toISOString().slice(0, kind === 'day' ? 10 : 16);
          const options = inLondon(locale, kind);
          expect(parseDateText(formatDateText(value, options), options)).toBe(value);
        },
      ),
    );
  });
});
