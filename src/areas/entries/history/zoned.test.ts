import { expect, test } from 'vitest';
import { momentAt } from '../../../lib/zones.ts';
import { clockText, daysOn, momentWords } from './zoned.ts';

test('moments are told and read in a zone, also where its day is another one', () => {
  expect(clockText('2026-03-01T12:00:00.000Z', 'Pacific/Kiritimati')).toBe('2026-03-02T02:00');
  expect(momentAt('2026-03-02T02:00', 'Pacific/Kiritimati')).toBe('2026-03-01T12:00:00.000Z');
  expect(momentWords('2026-03-01T12:00:00.000Z', 'Pacific/Kiritimati')).toContain('2');
});

test('a time that clocks skip is none, one that they show twice is the first', () => {
  expect(momentAt('2026-03-29T02:30', 'Europe/Berlin')).toBeUndefined();
  expect(momentAt('2026-10-25T02:30', 'Europe/Berlin')).toBe('2026-10-25T00:30:00.000Z');
  expect(momentAt('', 'UTC')).toBeUndefined();
  expect(momentAt('2026-13-40T02:30', 'UTC')).toBeUndefined();
});

test('a day on is the same time of day, however long the day is', () => {
  const before = '2026-03-28T11:00:00.000Z';
  expect(daysOn(before, 1, 'Europe/Berlin')).toBe('2026-03-29T10:00:00.000Z');
  expect(daysOn(daysOn(before, 7, 'Europe/Berlin'), -7, 'Europe/Berlin')).toBe(before);
  expect(daysOn('2026-03-28T01:30:00.000Z', 1, 'Europe/Berlin')).toBe('2026-03-29T01:30:00.000Z');
});
