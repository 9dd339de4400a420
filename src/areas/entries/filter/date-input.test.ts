import { expect, it, test } from 'vitest';
import { formatDateInput, parseDateInput } from './date-input.ts';

test.each([
  ['UTC', '2026-03-01T20:30', '2026-03-01T20:30:00Z'],
  ['America/St_Johns', '2026-03-01T17:00', '2026-03-01T20:30:00Z'],
  ['Pacific/Kiritimati', '2026-03-02T10:30', '2026-03-01T20:30:00Z'],
])('a date and time in %s is stored in UTC', (zone, text, stored) => {
  expect(parseDateInput(text, false, zone)).toBe(stored);
  expect(formatDateInput(stored, false, zone)).toBe(text);
});

test.each([
  ['a timestamp with another offset', '2026-03-01T21:30:00+01:00', '2026-03-01T17:00'],
  ['a date and time without a zone, which is in UTC', '2026-03-01T20:30', '2026-03-01T17:00'],
  ['a day, which begins in UTC', '2026-03-01', '2026-02-28T20:30'],
  ['a text that is not a date', 'soon', 'soon'],
  ['a day that does not exist, as it is,', '2026-02-31', '2026-02-31'],
  ['no value', undefined, ''],
])('the input shows %s in the zone', (_name, value, text) => {
  expect(formatDateInput(value, false, 'America/St_Johns')).toBe(text);
});

it('moves a time that clocks skip forward', () => {
  expect(parseDateInput('2026-03-29T02:30', false, 'Europe/Berlin')).toBe('2026-03-29T01:30:00Z');
});

it('keeps a day in every zone', () => {
  expect(parseDateInput('2026-03-01', true, 'Pacific/Kiritimati')).toBe('2026-03-01');
  expect(formatDateInput('2026-03-01', true, 'America/St_Johns')).toBe('2026-03-01');
  expect(formatDateInput('2026-03-01T23:00:00-05:00', true, 'America/St_Johns')).toBe('2026-03-02');
});

it('leaves the error of an incomplete or impossible date to the query', () => {
  expect(parseDateInput('', false, 'Europe/Berlin')).toBe('');
  expect(parseDateInput('12026-03-01T09:00', false, 'Europe/Berlin')).toBe('12026-03-01T09:00');
});
