import { expect, test } from 'vitest';
import { parseWallIso } from '../../../lib/dates/time-zones.ts';
import { parseAsOfView, formatAsOfView } from './as-of-view.ts';
import { toggleTimestamp, formatLocalMinutes, addDays, formatTimestamp } from './timestamps.ts';

test('parses and formats search parameters and ignores invalid ones', () => {
  const search = { q: 'ha', sort: '-Name', asOf: '2026-03-01T08:00:00.000Z', only: 'changed', added: true };
  expect(formatAsOfView(parseAsOfView(search))).toEqual(search);
  expect(formatAsOfView(parseAsOfView({ asOf: 'soon', only: 'new', added: 1 }))).toEqual({});
  expect(formatAsOfView(parseAsOfView({ asOf: '2026-02-31T08:00:00Z' }))).toEqual({});
});

test('replaces the first selected of three timestamps and deselects a repeated one', () => {
  expect(toggleTimestamp(['a'], 'b')).toEqual(['a', 'b']);
  expect(toggleTimestamp(['a', 'b'], 'c')).toEqual(['b', 'c']);
  expect(toggleTimestamp(['a', 'b'], 'a')).toEqual(['b']);
});

test('formats and parses timestamps in a time zone', () => {
  expect(formatLocalMinutes('2026-03-01T12:00:00.000Z', 'Pacific/Kiritimati')).toBe('2026-03-02T02:00');
  expect(parseWallIso('2026-03-02T02:00', 'Pacific/Kiritimati')).toBe('2026-03-01T12:00:00.000Z');
  expect(formatTimestamp('2026-03-01T12:00:00.000Z', 'Pacific/Kiritimati')).toContain('2');
});

test('rejects skipped local times and takes the first of repeated ones', () => {
  expect(parseWallIso('2026-03-29T02:30', 'Europe/Berlin')).toBeUndefined();
  expect(parseWallIso('2026-10-25T02:30', 'Europe/Berlin')).toBe('2026-10-25T00:30:00.000Z');
  expect(parseWallIso('', 'UTC')).toBeUndefined();
  expect(parseWallIso('2026-13-40T02:30', 'UTC')).toBeUndefined();
});

test('adds days independent of their length', () => {
  const before = '2026-03-28T11:00:00.000Z';
  expect(addDays(before, 1, 'Europe/Berlin')).toBe('2026-03-29T10:00:00.000Z');
  expect(addDays(addDays(before, 7, 'Europe/Berlin'), -7, 'Europe/Berlin')).toBe(before);
  expect(addDays('2026-03-28T01:30:00.000Z', 1, 'Europe/Berlin')).toBe('2026-03-29T01:30:00.000Z');
});
